import Carillon
import CarillonModel
import Foundation

/// What the server does not store of a registration: a malformed language, and a time zone that it does not know.
struct TestKitWarnings {
    private(set) var problems: [FieldError] = []

    mutating func removeInvalid(from registration: inout Registration) {
        if let tag = registration.language, !LanguageForm.matches(tag) {
            registration.language = nil
            problems.append(FieldError(field: "language", problem: LanguageForm.problem))
        }
        if let name = registration.timeZone, TimeZone(identifier: name) == nil {
            registration.timeZone = nil
            let problem = "must be an IANA time zone that the server knows, such as Asia/Tokyo"
            problems.append(FieldError(field: "timeZone", problem: problem))
        }
    }
}
