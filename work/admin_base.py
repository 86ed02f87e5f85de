"""The Django admin as a place to mend data: everything can be looked at, little can be changed. A change
needs a reason, refuses a leased row, writes changed fields only, and goes through the app's own verb."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.forms import AdminAuthenticationForm
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.datastructures import MultiValueDict
from django.utils.http import urlencode

from work.failures import StateChanged
from work.models import Leased

# Their stock pages go round our rules: they resubmit tasks, show secrets of second factors, or give rights we
# do not use.
LEFT_OUT = {"django_q", "account", "mfa", "auth"}


class WaybillAdminSite(admin.AdminSite):
    """For administrators only; they sign in where everyone does, with limits and the second factor."""

    site_header = "Waybill, mending of data"
    site_title = "Waybill"
    index_title = "Tables"
    login_form = AdminAuthenticationForm

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        is_one = isinstance(model_or_iterable, type)
        models: list[Any] = [model_or_iterable] if is_one else list(model_or_iterable)
        kept = [model for model in models if model._meta.app_label not in LEFT_OUT]
        if kept:
            super().register(kept, admin_class, **options)

    def has_permission(self, request: HttpRequest) -> bool:
        return request.user.is_active and bool(getattr(request.user, "is_superuser", False))

    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if request.user.is_authenticated and not self.has_permission(request):
            raise PermissionDenied
        then = request.GET.get("next") or resolve_url("admin:index")
        return redirect(f"{resolve_url('account_login')}?{urlencode({'next': then})}")

    def logout(self, request: HttpRequest, extra_context: Any = None) -> Any:
        return redirect("account_logout")

    def password_change(self, request: HttpRequest, extra_context: Any = None) -> Any:
        return redirect("account_change_password")


class ReadOnlyAdmin(admin.ModelAdmin):
    actions = None
    show_full_result_count = False  # some of these tables hold millions of rows
    list_per_page = 50
    hidden_fields: tuple[str, ...] = ()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [
            field.name for field in self.model._meta.concrete_fields if field.name not in self.hidden_fields
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return self.get_fields(request, obj)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class MendingForm(forms.ModelForm):
    """Compares with what was shown when the form was opened (it travels along), not with what stands now."""

    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}), help_text="Kept in the audit trail, with who and when."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.show_hidden_initial = name != "reason" and not self.instance._state.adding

    @property
    def mended(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.changed_data if name != "reason"}

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if not self.instance._state.adding and not self.errors:
            self._refuse_what_moved()
        return cleaned

    def _refuse_what_moved(self) -> None:
        """Takes the row's lock, which the admin's transaction holds until the verb has written: no claim and
        no other form comes in between."""
        now = type(self.instance)._base_manager.select_for_update().filter(pk=self.instance.pk).first()
        if now is None:
            raise forms.ValidationError("This row was removed meanwhile.")
        if isinstance(now, Leased) and now.lease_token is not None:
            raise forms.ValidationError(
                "A worker holds this row now, so it cannot be changed. Try again when it has let go."
            )
        for name in self.mended:
            if self._shown(name) != _raw(now, name):
                self.add_error(name, f"Somebody changed this meanwhile; it is now {_raw(now, name)}.")

    def _shown(self, name: str) -> Any:
        field, bound = self.fields[name], self[name]
        widget = field.hidden_widget()
        value = field.clean(widget.value_from_datadict(self.data, MultiValueDict(), bound.html_initial_name))
        return value.pk if isinstance(value, Model) else value


class MendingAdmin(ReadOnlyAdmin):
    """`open_fields` can be changed, through `mend`; with `new_fields` rows can be added, through `make`."""

    form = MendingForm
    open_fields: tuple[str, ...] = ()
    new_fields: tuple[str, ...] = ()
    refusals: tuple[type[Exception], ...] = (StateChanged,)

    def mend(self, *, row: Any, fields: Mapping[str, Any], by: Any, why: str) -> None:
        """Call the app's verb, which writes the fields, what follows from them, and the decision."""
        raise NotImplementedError

    def make(self, *, fields: Mapping[str, Any], by: Any, why: str) -> Any:
        """Call the app's verb that makes a row, and return it."""
        raise NotImplementedError

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        if obj is None:
            return [*self.new_fields, "reason"]
        others = [name for name in super().get_fields(request, obj) if name not in self.open_fields]
        return [*self.open_fields, "reason", *others]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        written = {*(self.open_fields if obj is not None else self.new_fields), "reason"}
        return [name for name in self.get_fields(request, obj) if name not in written]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(self.new_fields) and self.admin_site.has_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.admin_site.has_permission(request)

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """What the verb refuses is told on the form, with nothing written."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except self.refusals as error:
            self.message_user(request, f"Nothing was changed. {error}", messages.ERROR)
            return redirect(request.path)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        by, why = request.principal, form.cleaned_data["reason"]  # type: ignore[attr-defined]
        if not change:
            made = self.make(
                fields={name: form.cleaned_data[name] for name in self.new_fields}, by=by, why=why
            )
            obj.pk = made.pk
        elif form.mended:
            row = self.model._base_manager.get(pk=obj.pk)
            self.mend(row=row, fields=form.mended, by=by, why=why)


def _raw(row: Any, name: str) -> Any:
    return getattr(row, row._meta.get_field(name).attname)
