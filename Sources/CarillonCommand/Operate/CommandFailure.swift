import ArgumentParser
import CarillonEngine
import CarillonModel
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A failure of a command at run time, with a description; it ends the command without the usage.
struct CommandFailure: Error, CustomStringConvertible {
    /// The kind of a failure, whose raw value is the exit status, from `sysexits.h`; docs/operations.md lists them.
    enum Kind: Int32, CaseIterable {
        /// The command ran, and its result is negative: a check found a fault, an import took no line.
        case negative = 1
        /// An argument, option or environment variable is invalid.
        case usage = 64
        /// A file is malformed, or the server refuses the request.
        case data = 65
        /// A file that is missing, or an object that the server does not have.
        case missing = 66
        /// The server, the store or a port is not available.
        case unavailable = 69
        /// A fault of the program, or a response that is not understood.
        case software = 70
        /// A file cannot be created.
        case cannotCreate = 73
        /// Reading or writing failed; the disk is full.
        case inputOutput = 74
        /// The server asks to try later.
        case later = 75
        /// The API key is wrong or lacks a permission.
        case permission = 77
        /// A setting of the server is invalid.
        case configuration = 78
    }

    var description: String
    var kind = Kind.negative

    init(description: String) { self.init(.negative, description) }

    init(_ kind: Kind, _ description: String) {
        self.description = description
        self.kind = kind
    }

    /// Prints the failure and ends the program.
    func exit() -> Never {
        fflush(nil)
        Terminal.complain("Error: " + Terminal.escaped(description, keepsLines: true))
        Foundation.exit(kind.rawValue)
    }

    /// Converts an error of a run to a failure; errors with an exit code of their own are unchanged.
    static func described(_ error: any Error) -> any Error {
        switch error {
        case is CommandFailure, is ExitCode, is CleanExit: error
        // The parser's own errors, of help among them, are of a type that it does not publish.
        case _ where String(reflecting: type(of: error)).hasPrefix("ArgumentParser.") && !(error is ValidationError):
            error
        case let error as ValidationError: CommandFailure(.usage, error.message)
        case let error as OperatorAPI.Refusal: CommandFailure(error.kind, error.words)
        case let error as URLError: CommandFailure(.unavailable, words(error))
        case let error as StoreError: CommandFailure(kind(error), words(error))
        case let error as EngineError: CommandFailure(kind(error), words(error))
        case let error as ServerSettings.Failure: CommandFailure(.configuration, error.description)
        case let error as ChannelFailure: CommandFailure(error.kind, error.description)
        case let error as FieldError: CommandFailure(.data, "\(error.field) \(error.problem)")
        case let error as DecodingError: CommandFailure(.software, words(FieldError(error)))
        case let error as CocoaError: CommandFailure(.inputOutput, error.localizedDescription)
        case let error as any CustomStringConvertible & Error: CommandFailure(.negative, error.description)
        default: CommandFailure(.software, error.localizedDescription)
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

    private static func kind(_ error: StoreError) -> Kind {
        switch error {
        case .full: .inputOutput
        case .repeated, .failed: .software
        case .staleMasterKey, .unavailable: .unavailable
        }
    }

    private static func kind(_ error: EngineError) -> Kind {
        switch error {
        case .store(let error): kind(error)
        case .notFound: .missing
        case .invalid, .invalidFields, .conflict, .refused, .account, .operators: .data
        }
    }

    private static func words(_ error: EngineError) -> String {
        switch error {
        case .store(let error): words(error)
        case .invalid, .invalidFields:
            error.fieldErrors.map { "\($0.field) \($0.problem)" }.joined(separator: "; ")
        case .conflict(let text): text
        case .notFound: "There is no such object."
        case .refused, .account, .operators: "The request is refused."
        }
    }

    private static func words(_ error: FieldError) -> String {
        "The server's response is not understood: \(error.field) \(error.problem). Is it the same version of carillon?"
    }

    /// The description of a request without a response.
    static func words(_ error: URLError) -> String {
        let place = error.failingURL.map {
            "\($0.scheme ?? "http")://\($0.host ?? "")\($0.port.map { ":\($0)" } ?? "")"
        }
        return "\(place ?? "The server") does not answer: \(error.localizedDescription)"
    }
}
