import ArgumentParser
import CarillonEngine
import CarillonModel

/// A failure of a command at run time, with a description; it exits with status 1, without the usage.
struct CommandFailure: Error, CustomStringConvertible {
    var description: String

    /// Converts an error to a failure; errors with an exit code of their own are unchanged.
    static func described(_ error: any Error) -> any Error {
        switch error {
        case let error as ValidationError: CommandFailure(description: error.message)
        case let error as StoreError: CommandFailure(description: words(error))
        case let error as EngineError: CommandFailure(description: words(error))
        case let error as ServerSettings.Failure: CommandFailure(description: error.description)
        default: error
        }
    }

    /// The description of a store's error.
    static func words(_ error: StoreError) -> String {
        switch error {
        case .full: "The disk is full."
        case .repeated: "The same request was answered before."
        case .staleMasterKey: StoreError.staleMasterKeyAdvice
        case .unavailable(let text), .failed(let text): text
        }
    }

    private static func words(_ error: EngineError) -> String {
        switch error {
        case .store(let error): words(error)
        case .invalid, .invalidFields:
            error.fieldErrors.map { "\($0.field) \($0.problem)" }.joined(separator: "; ")
        default: "\(error)"
        }
    }
}
