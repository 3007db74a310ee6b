"""Builds the documentation's site: guides, HTTP API and references with one navigation and one search.

    site.py --references FOLDER --source FOLDER --output FOLDER
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

import pages
import site_api
import site_check
import site_reference

LINK = re.compile(r"(!?\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\()([^)\s]+)(\))")
# The pages of README's table, in its order.
GUIDES = {
    "First steps": ["quick-starts", "glossary"],
    "Apps": ["app-developer-guide", "fun-art", "what-the-simulated-iphone-proves", "first-build-in-xcode"],
    "Back ends and operators": [
        "http-api", "user-proof", "reasons", "registry", "accounts", "audiences", "scheduling", "content",
        "content-sets", "statistics", "webhooks"],
    "Running a server": [
        "operations", "console", "container", "monitoring", "upgrade", "troubleshooting", "postgresql", "security", "dependencies"],
    "Moving to Carillon": [
        "migration", "import", "migrate-from-onesignal", "migrate-from-pinpoint", "migrate-from-others",
        "migrate-from-toast-push", "migrate-from-core-push", "migrate-from-coimotion"],
    "APNs": ["apns-client", "apns-simulator"],
    "Contributing": ["contributing", "architecture", "performance", "reliability", "conformance"],
}
PAGES_OF_ROOT = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md",
                 "SECURITY.md": "reporting.md"}


def moved(target, page):
    """A link of a page of the repository, as the site has its pages; the text alone for what is not in the site."""
    if re.match(r"^([a-z]+:|#)", target):
        return target
    path, hash_sign, fragment = target.partition("#")
    real = ((pages.ROOT / page).parent / path).resolve()
    try:
        inside = str(real.relative_to(pages.ROOT))
    except ValueError:
        return None
    if inside in PAGES_OF_ROOT:
        return PAGES_OF_ROOT[inside] + hash_sign + fragment
    if inside.startswith("docs/") and real.exists():
        return inside.removeprefix("docs/") + hash_sign + fragment
    return None


def converted(page):
    """The text of a page for the site."""
    text = (pages.ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"^\s*<!-- (check|page): .*? -->\n", "", text, flags=re.M)

    def link(match):
        target = moved(match[2], page)
        return match[1] + target + match[3] if target else re.sub(r"^!?\[(.*)\]\($", r"\1", match[1])
    outside = re.split(r"(^\s*```.*?^\s*```\s*$)", text, flags=re.M | re.S)
    return "".join(part if number % 2 else LINK.sub(link, part) for number, part in enumerate(outside))


def write_guides(folder):
    for page, name in PAGES_OF_ROOT.items():
        (folder / name).write_text(converted(page), encoding="utf-8")
    for file in sorted((pages.ROOT / "docs").rglob("*")):
        inside = file.relative_to(pages.ROOT / "docs")
        (folder / inside).parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            (folder / inside).write_text(converted(pathlib.Path("docs") / inside), encoding="utf-8")
        elif file.is_file():
            shutil.copy(file, folder / inside)
    listed = {name for names in GUIDES.values() for name in names}
    forgotten = {file.stem for file in (pages.ROOT / "docs").glob("*.md")} - listed
    if forgotten:
        sys.exit(f"script/lib/docs/site.py has no place for {', '.join(sorted(forgotten))}")


def configuration(api, reference):
    guides = [{title: [f"{name}.md" for name in names]} for title, names in GUIDES.items()]
    return {
        "site_name": "Carillon", "docs_dir": "docs", "site_dir": "site", "use_directory_urls": False,
        "nav": [{"Start": "index.md"}, {"Guides": guides}, {"HTTP API": api}, {"Swift reference": reference},
                {"Changelog": "changelog.md"}, {"Security": "reporting.md"}],
        "theme": {
            "font": False, "language": "en",
            "features": ["navigation.tabs", "navigation.indexes", "navigation.top", "navigation.prune", "toc.follow",
                         "search.suggest", "search.highlight", "content.code.copy"],
            "palette": [
                {"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "indigo", "accent": "deep orange",
                 "toggle": {"icon": "lucide/moon", "name": "Dark"}},
                {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "indigo", "accent": "amber",
                 "toggle": {"icon": "lucide/sun", "name": "Light"}}]},
        "extra": {"generator": False}, "extra_css": ["site.css"], "plugins": ["search"],
        "markdown_extensions": [
            "admonition", "attr_list", "tables", "sane_lists", {"toc": {"permalink": True, "toc_depth": 3}},
            {"pymdownx.highlight": {"use_pygments": True}}, "pymdownx.superfences"],
        "validation": {"links": {"not_found": "warn", "anchors": "warn", "absolute_links": "warn"}},
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--references", type=pathlib.Path, required=True, help="DocC archives, one a product")
    parser.add_argument("--source", type=pathlib.Path, required=True, help="a folder for what the generator reads")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    source, output = options.source.absolute(), options.output.absolute()
    shutil.rmtree(source, ignore_errors=True)
    (source / "docs").mkdir(parents=True)
    write_guides(source / "docs")
    shutil.copy(pathlib.Path(__file__).parent / "site.css", source / "docs/site.css")
    api = site_api.write(source / "docs/api")
    reference = site_reference.write(options.references, source / "docs/reference")
    (source / "mkdocs.yml").write_text(yaml.safe_dump(configuration(api, reference), sort_keys=False))
    program = pathlib.Path(sys.executable).parent / "zensical"
    subprocess.run([program, "build", "--strict", "--config-file", "mkdocs.yml"], cwd=source, check=True)
    shutil.rmtree(output, ignore_errors=True)
    shutil.move(source / "site", output)
    site_check.main(output)


if __name__ == "__main__":
    main()
