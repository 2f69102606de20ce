"""Sphinx's settings for the site. `tools/site/build.py` puts the pages together."""

import pqexplore

project = "pqexplore"
author = copyright = "The pqexplore maintainers"
version = release = pqexplore.__version__
extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns: list[str] = []
html_theme = "furo"
html_title = f"pqexplore {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra"]
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
suppress_warnings = ["misc.highlighting_failure"]  # output of a terminal in a block of `sh`
