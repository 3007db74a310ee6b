import ArgumentParser
import CarillonEngine
import CarillonModel

/// Why a command failed while it ran, in words for whom runs it; it ends with status 1, without the usage.
struct CommandFailure: Error, CustomStringConvertible {
    var description: String

    /// An error as it is told: what ends a command with a status of its own stays as it is.
    static func described(_ error: any Error) -> any Error {
        switch error {
        case let error as ValidationError: CommandFailure(description: error.message)
        case let error as StoreError: CommandFailure(description: words(error))
        case let error as EngineError: CommandFailure(description: words(error))
        case let error as ServerSettings.Failure: CommandFailure(description: error.description)
        default: error
        }
    }

    /// What a store's failure says.
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
        case .invalid(let problem): "\(problem.field) \(problem.problem)"
        default: "\(error)"
        }
    }
}
