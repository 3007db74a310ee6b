import ApplePushSimulator
import ArgumentParser
import Foundation

/// A file that holds a scenario.
struct ScenarioFile {
    /// The exit code for an invalid file (sysexits.h).
    static let wrongData = ExitCode(65)
    /// The exit code for an unreadable file.
    static let noInput = ExitCode(66)
    /// The exit code when a port cannot be opened.
    static let unavailable = ExitCode(69)

    let path: String

    /// Reads the scenario.
    ///
    /// - Parameter listeners: The listeners that it changes.
    /// - Returns: The scenario.
    /// - Throws: `ExitCode` 66 when the file cannot be read, and 65 when a field is invalid; the field's name and limit
    ///   have been printed then.
    func read(over listeners: [ListenerConfiguration]) throws -> Scenario {
        guard let data = FileManager.default.contents(atPath: path) else {
            complain("The scenario \(path) cannot be read.")
            throw Self.noInput
        }
        do throws(FieldProblem) {
            return try Scenario(json: Array(data), over: listeners, canAddListeners: true)
        } catch {
            complain("The scenario \(path) is wrong. \(error)")
            throw Self.wrongData
        }
    }
}

/// Prints an error.
func complain(_ sentence: String) {
    FileHandle.standardError.write(Data((sentence + "\n").utf8))
}
