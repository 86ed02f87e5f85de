"""The component library: `{% load waybill %}`. Usage below; /gallery/ shows every state of each."""

# A page: {% extends "base.html" %}{% load waybill %}, then the blocks
#   title, heading, content; as needed crumbs ({% crumb "Uploads" url %}{% crumb "0199f3c2" %}), lead,
#   actions, width (wide, for anonymous pages with tables), live (default: {% live_line %}; leave it empty
#   where a fragment carries its own line).
# Layout classes: stack, split (2:1), halves, three (three answers), toolbar, prose; words: quiet, small,
#   num, id, cut.
#
# States
#   {% state_badge "done" "Processed" %}     shapes: waiting running done part bad asking cancelled
#   {% state_badge_of "upload" upload.state %}
#     shape and word come from badges.register("upload", ...) in ready()
#   {% notice "part" "Partial" aside="19 s, 1 attempt" id="verdict" %}<p>…</p>{% endnotice %}
#   {% step_list steps %}     dicts: shape, name; as known word, detail, took (duration) or at (moment)
#   {% icon "copy" %}     symbols of static/img/icons.svg
# Surfaces
#   {% panel "Title" note="231 errors in 200 rows" id="x" flush=True tag="aside" %}…{% endpanel %}
#     flush leaves out the padding (tables); tag="aside" makes it a landmark. With a toolbar in its head write
#     <section class="panel" id="x"><header><h2>…</h2>…</header>…<footer>…</footer></section> by hand.
#   {% table_region "Label other than the heading" id="x" %}<table class="wide">…</table>{% endtable_region %}
#     th scope; class num right-aligns, cell-bad marks a cell at fault, first-stays on table keeps its
#       first column.
#   {% sort_head "Accepted" "accepted_at" num=True target="#uploads-table" %}
#     instead of <th>; order in ?sort=
#   <dl class="facts">{% fact "File" %}…{% endfact %}</dl>
#   {% empty "No uploads yet" href=url label="Send a spreadsheet" %}<p>What will appear.</p>{% endempty %}
# Controls
#   {% link_button "Label" url "first" %}     kinds: "" first grave plain
#   {% post_button "Retry" url "first" target="#row-7" reason="…" %}
#     a form of one button; named values are sent
#   {% refused_button "Correct and send anew" "Not offered: nothing says it was rejected." %}
#   <div class="choices"><div class="choice">button<p class="why">…</p></div>…</div>
#     buttons with their reasons
#   {% confirm "Withdraw…" id="withdraw" url=post_url title="Withdraw it?" page=get_url kind="grave"
#     act="Withdraw" %}
#     <p>…</p>{% field form.reason %}{% endconfirm %}
#       outside of polled parts; page: _components/confirm_page.html
#   {% form_errors form %}{% for bound in form.visible_fields %}{% field bound %}{% endfor %}
#     in <form method="post" class="stack" novalidate>
#   {% drop_zone form.file max_bytes=limit %}     in <form … enctype="multipart/form-data" data-transfer>
#   {% copy_id upload.id short=8 %}
# Lists
#   {% filters form "#uploads-table" %}
#     a GET form of all its fields; {% filter_pills form "#uploads-table" %} goes
#     inside #uploads-table, which htmx replaces: the view answers request.htmx with that fragment
#   {% choice_pills "status" counts target="#uploads-table" %}     (value, label, count or None); "" means all
#   {% keyset_pages older=page.next_cursor newer=page.previous_cursor note="…" target="#x"
#     newest_first=False %}
#   {% numbered_pages page target="#x" %}     a Page of Django's Paginator; ?page=
#   {% bulk_bar url matching=312 %}<button type="submit" class="button">Withdraw…</button>{% endbulk_bar %}
#     {% bulk_page_box %} in th, {% bulk_box upload.id upload.filename %} in td, both of class tick-cell
#     POSTs chosen (ids), all=1 (everything that matches) and rule (the query string the list was shown with)
# Live
#   <section id="upload-42" {% poll url 2 %}>
#     or {% poll url since=upload.accepted_at %}: the interval grows
#     by age (work.polling); {% poll url None %} writes nothing: reading has ended.
#     The answer is the same element.
#   {% live_line 2 %}     "Read at 10:42:07 · every 2 s · Pause"; inside the fragment, so that it stays true
#   {% progress "upload-42-progress" "Checking rows" done=n total=m unit="rows" rate=r heard_at=t url=url
#     seconds=2 %}
#     leave url and seconds out when a larger part around it polls; data-speak="…" on any element is spoken
#       on change
# Words
#   {% when moment %}, {% when moment "clock" %}, "date", "exact"     in the viewer's zone
#   {{ seconds|duration }}  {{ bytes|size }}  {{ count|number }}     None is shown as a dash
#   {% sparkline values "Finished per hour, last 24 hours" labels=hours id="spark-uploads" numbers=False %}
#   {% strip attempts "The last 30 attempts" id="strip-7" %}     (shape, label, word), oldest first

from django import template

from work.components import controls, lists, live, marks, pictures, said, surfaces

register = template.Library()

for part in (controls, lists, live, marks, pictures, said, surfaces):
    register.tags.update(part.register.tags)
    register.filters.update(part.register.filters)
