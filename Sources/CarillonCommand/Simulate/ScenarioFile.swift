import ApplePushSimulator
import ArgumentParser
import Foundation

/// A file that holds a scenario.
struct ScenarioFile {
    /// What the command ends with when a file is wrong (sysexits.h).
    static let wrongData = ExitCode(65)
    /// What it ends with when a file cannot be read.
    static let noInput = ExitCode(66)
    /// What it ends with when a port cannot be opened.
    static let unavailable = ExitCode(69)

    let path: String

    /// Reads the scenario.
    ///
    /// - Parameter listeners: The listeners that it is read over.
    /// - Returns: The scenario.
    /// - Throws: `ExitCode` 66 when the file cannot be read, and 65 when a field of it is wrong; the user was told
    ///   then, with the field's name and limit.
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

/// Tells the user what kept a command from its work.
func complain(_ sentence: String) {
    FileHandle.standardError.write(Data((sentence + "\n").utf8))
}
