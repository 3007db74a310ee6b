import ArgumentParser
import Foundation

/// Asks for a name before something is deleted for good, so that nobody deletes another one than they mean.
struct Confirmation {
    /// What must be typed.
    let name: String
    /// What the name is, such as `App's name`.
    let kind: String
    /// What goes with it, such as `all its devices`.
    let loss: String

    /// Requires a terminal to ask in: nobody can answer a script's question.
    ///
    /// - Throws: `ValidationError` without a terminal.
    static func requireTerminal(_ isTerminal: Bool = isatty(STDIN_FILENO) == 1) throws {
        guard isTerminal else {
            throw ValidationError(
                "Nobody can be asked without a terminal, and nothing was deleted: confirm with --yes."
            )
        }
    }

    /// Asks in the terminal.
    func confirm() throws {
        try confirm(ask: { FileHandle.standardError.write(Data($0.utf8)) }, answer: { readLine() })
    }

    /// Asks, and compares the answer with the name.
    ///
    /// - Parameters:
    ///   - ask: Shows a text to the operator.
    ///   - answer: Reads a line; `nil` at the end of the input.
    /// - Throws: `ValidationError` unless the line is the name.
    func confirm(ask: (String) -> Void, answer: () -> String?) throws {
        ask("This deletes \(Terminal.escaped(name)) with \(loss). Type the \(kind): ")
        guard let line = answer() else {
            throw ValidationError("The \(kind) is required: type it, or confirm with --yes.")
        }
        guard line == name else { throw ValidationError("This is not the \(kind); nothing was deleted.") }
    }
}
