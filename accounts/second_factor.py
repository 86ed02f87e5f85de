"""The second factor: its picture goes into the page itself, because our policy forbids `data:` images."""

import re

from allauth.mfa.adapter import DefaultMFAAdapter
from qrcode.image.svg import SvgPathFillImage
from qrcode.main import make


class SecondFactorAdapter(DefaultMFAAdapter):
    def build_totp_svg(self, url: str) -> str:
        """Dark on white in both themes, or cameras cannot read it."""
        drawn = make(url, image_factory=SvgPathFillImage, border=4).to_string(encoding="unicode")
        label = "The secret below as a picture for the camera of your authenticator app"
        return re.sub(r"^(<\?xml.*?\?>\s*)?<svg ", f'<svg role="img" aria-label="{label}" ', drawn)
