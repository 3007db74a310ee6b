"""The subcommands and options of `carillon`, as the program itself lists them, against those that the pages name."""
import json
import re
import subprocess

# A word that ends the arguments of a command in a shell: an operator, a comment, another command in it.
END_OF_COMMAND = re.compile(r'^([|&;<>)#]|\d?>|"?\$\()')
# `carillon` as a command: at the beginning of a line or after an operator, behind variables, `sudo` and a folder.
CALL = re.compile(r"(?:^|[|;&(])\s*(?:\w+=\S*\s+)*(?:sudo -u \w+ +)?(?:[\w.$]*/)*carillon(?=\s)((?:\s+\S+)*)")
# Options that ArgumentParser gives to every command.
COMMON = {"--help", "--version", "-h", "--generate-completion-script"}


def names_of(argument):
    """The spellings of an option or flag."""
    spellings = []
    for name in argument.get("names") or []:
        dashes = "-" if name["kind"] in ("short", "longWithSingleDash") else "--"
        spellings.append(dashes + name["name"])
    return spellings


class CommandTree:
    def __init__(self, program):
        text = subprocess.check_output([program, "--experimental-dump-help"], text=True, timeout=30)
        self.root = json.loads(text)["command"]
        self.all_options = set()
        self.gather(self.root)

    def gather(self, command):
        for argument in command.get("arguments", []):
            self.all_options.update(names_of(argument))
        for child in command.get("subcommands", []):
            self.gather(child)

    def problem(self, words):
        """What is wrong with the words after `carillon`, None if nothing is."""
        command, path = self.root, ["carillon"]
        words = [word.strip("'\"`,.;:") if not word.startswith("--") else word.rstrip("`,.;:") for word in words]
        while words and command.get("subcommands"):
            names = {child["commandName"]: child for child in command["subcommands"]}
            if words[0].startswith("-") or words[0] == "…":
                break
            if words[0] not in names:
                default = command.get("defaultSubcommand")
                if default in names:
                    command = names[default]
                    break
                return f"{' '.join(path)} has no subcommand {words[0]}" if re.match(r"^[a-z-]+$", words[0]) else None
            command = names[words[0]]
            path.append(words.pop(0))
        known = {name for argument in command.get("arguments", []) for name in names_of(argument)}
        known |= COMMON
        for word in words:
            option = word.split("=")[0]
            if re.match(r"^--?[a-zA-Z][\w-]*$", option) and option not in known:
                return f"{' '.join(path)} has no option {option}"
        return None


def calls(text):
    """The words after each `carillon` of a shell's text."""
    for line in re.sub(r"\\\n", " ", text).split("\n"):
        for match in CALL.finditer(line):
            words = []
            for word in match[1].split():
                if END_OF_COMMAND.match(word):
                    break
                words.append(word)
                if word.endswith((";", ")")):
                    break
            yield words


def check_blocks(tree, blocks):
    found = []
    for block in blocks:
        for words in calls(block.text):
            problem = tree.problem(words)
            if problem:
                found.append(f"{block.place}: {problem}")
    return found


def check_spans(tree, page):
    """Inline code that is a command."""
    found = []
    for line, span in page.spans:
        for words in calls(span):
            problem = tree.problem(words)
            if problem:
                found.append(f"{page.path}:{line}: {problem}: `{span}`")
    return found
