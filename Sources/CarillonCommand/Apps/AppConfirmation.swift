import ArgumentParser

/// Asks for an App's name before the App is deleted, so that nobody deletes another one than they mean.
struct AppConfirmation {
    let name: String

    /// Asks, and compares the answer with the name.
    ///
    /// - Parameters:
    ///   - ask: Shows a text to the operator.
    ///   - answer: Reads a line; `nil` at the end of the input.
    /// - Throws: `ValidationError` unless the line is the name.
    func confirm(ask: (String) -> Void, answer: () -> String?) throws {
        ask("This deletes \(Terminal.escaped(name)) with all its devices, campaigns and statistics. Type its name: ")
        guard let line = answer() else {
            throw ValidationError("The App's name is required: type it, or confirm with --yes.")
        }
        guard line == name else { throw ValidationError("This is not the App's name; nothing was deleted.") }
    }
}
