package import CarillonContentSets
package import CarillonEngine
import CarillonModel

/// Calls the service and converts its error.
package func contentAnswer<Value>(
    _ body: @autoclosure () async throws(ContentSetError) -> Value
) async throws -> Value {
    do throws(ContentSetError) {
        return try await body()
    } catch {
        throw EngineError(error)
    }
}

extension EngineError {
    /// The error in the engine's form.
    package init(_ error: ContentSetError) {
        switch error {
        case .notFound: self = .notFound(.contentSet)
        case .noApp: self = .notFound(.app)
        case .noRow: self = .notFound(.contentRow)
        case .noSource: self = .notFound(.contentSource)
        case .noFollow: self = .notFound(.contentFollow)
        case .noAlert: self = .notFound(.contentAlert)
        case .noAttachment: self = .notFound(.contentAttachment)
        case .noAttachments: self = .conflict("The table takes no attachments.")
        case .noAccount: self = .account(.wrongToken)
        case .invalid(let errors): self = .invalidFields(errors)
        case .tooMany(let what, let limit):
            self = .conflict("There are \(limit) \(what), and no more are possible: delete one.")
        case .conflict(let detail): self = .conflict(detail)
        case .refused(let run):
            let reason = run.problems.first ?? "The file cannot be read."
            let problem = "must be a file of the format \(run.format.rawValue). " + reason
            self = .invalid(FieldError(field: "file", problem: problem))
        case .store(let error): self = .store(error)
        }
    }
}
