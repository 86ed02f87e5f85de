"""The component library: `{% load waybill %}`. One usage line each; every state of each is on /gallery/."""

# (usage list is written below)

from django import template

from work.components import controls, lists, live, marks, pictures, said, surfaces

register = template.Library()

for part in (controls, lists, live, marks, pictures, said, surfaces):
    register.tags.update(part.register.tags)
    register.filters.update(part.register.filters)
