"""Reading of uploaded files. The child runs this package alone, without Django, so nothing here
may import more than the standard library, and the modules import each other only relatively."""
