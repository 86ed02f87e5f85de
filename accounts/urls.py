from django.urls import path

from accounts.views import members, profile, tokens

urlpatterns = [
    path("members/", members.listing, name="members"),
    path("organisations/<slug:organisation>/members/", members.addition, name="member_new"),
    path("organisations/<slug:organisation>/members/<int:member>/role/", members.role, name="member_role"),
    path(
        "organisations/<slug:organisation>/members/<int:member>/removal/",
        members.removal,
        name="member_removal",
    ),
    path("tokens/", tokens.listing, name="tokens"),
    path("organisations/<slug:organisation>/tokens/", tokens.addition, name="token_new"),
    path(
        "organisations/<slug:organisation>/tokens/<uuid:token>/revocation/",
        tokens.revocation,
        name="token_revocation",
    ),
    path("profile/", profile.profile, name="profile"),
    path("profile/address/", profile.address, name="profile_address"),
]
