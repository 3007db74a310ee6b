package import CarillonModel

/// Checks the time zones and languages that Devices report, beyond the limits of their texts.
package final class DeviceLocale: Sendable {
    private let zones = ZoneNights()

    package init() {}

    /// Returns the error of a time zone; `nil` when the node's time zone data has it.
    package func problem(ofZone name: String) -> String? {
        zones.isZone(name) ? nil : "must be an IANA time zone that the server knows, such as Asia/Tokyo"
    }

    /// Returns the error of a language; `nil` when it has the form of BCP 47.
    package func problem(ofLanguage tag: String) -> String? {
        LanguageForm.matches(tag) ? nil : LanguageForm.problem
    }

    /// Returns the errors of a registration's time zone and language.
    package func problems(of registration: Registration) -> [FieldError] {
        var problems: [FieldError] = []
        if let problem = registration.language.flatMap(problem(ofLanguage:)) {
            problems.append(FieldError(field: "language", problem: problem))
        }
        if let problem = registration.timeZone.flatMap(problem(ofZone:)) {
            problems.append(FieldError(field: "timeZone", problem: problem))
        }
        return problems
    }

    /// Removes an unknown time zone and a malformed language.
    ///
    /// - Returns: Their errors.
    func removeInvalid(from registration: inout Registration) -> [FieldError] {
        let problems = problems(of: registration)
        for problem in problems {
            if problem.field == "language" { registration.language = nil } else { registration.timeZone = nil }
        }
        return problems
    }

    /// The same for a change, which then deletes the Device's value.
    func removeInvalid(from update: inout RegistrationUpdate) -> [FieldError] {
        var problems: [FieldError] = []
        if case .set(let tag?) = update.language, let problem = problem(ofLanguage: tag) {
            problems.append(FieldError(field: "language", problem: problem))
            update.language = .set(nil)
        }
        if case .set(let name?) = update.timeZone, let problem = problem(ofZone: name) {
            problems.append(FieldError(field: "timeZone", problem: problem))
            update.timeZone = .set(nil)
        }
        return problems
    }

    /// The same for either.
    func removeInvalid(from content: inout DeviceChange.Content) -> [FieldError] {
        switch content {
        case .registration(var registration):
            let problems = removeInvalid(from: &registration)
            content = .registration(registration)
            return problems
        case .update(var update):
            let problems = removeInvalid(from: &update)
            content = .update(update)
            return problems
        }
    }
}

extension DeviceRecord {
    /// The record with the warnings of its registration.
    func with(_ warnings: [FieldError]) -> DeviceRecord {
        guard !warnings.isEmpty else { return self }
        var record = self
        record.warnings = warnings
        return record
    }
}
