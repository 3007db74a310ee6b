import CarillonModel
import Foundation

/// Reads the fields of a form of settings, and collects what is wrong with them.
struct SettingsInput {
    let form: FormFields
    let texts: Texts
    private(set) var problems: [FieldProblem] = []

    init(_ form: FormFields, _ texts: Texts) { (self.form, self.texts) = (form, texts) }

    /// Whether a box is checked.
    func flag(_ name: String) -> Bool { form[name] != nil }

    /// A text without white space at its ends; `nil` when it is empty.
    func text(_ name: String) -> String? {
        let text = form.text(name).trimmed
        return text.isEmpty ? nil : text
    }

    /// A text of some length.
    mutating func text(_ name: String, _ lengths: ClosedRange<Int>) -> String {
        let text = form.text(name).trimmed
        if !lengths.contains(text.count) {
            add(
                name,
                texts(
                    "problem.length",
                    ["least": String(lengths.lowerBound), "most": String(lengths.upperBound)]
                )
            )
        }
        return text
    }

    /// A whole number; one that is missing is a problem.
    mutating func integer(_ name: String, _ range: ClosedRange<Int>) -> Int {
        guard let number = Int(form.text(name).trimmed), range.contains(number) else {
            addNumber(name, range)
            return range.lowerBound
        }
        return number
    }

    /// A whole number, or nothing.
    mutating func optionalInteger(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        text(name) == nil ? nil : integer(name, range)
    }

    /// A word of a type.
    mutating func choice<Word: RawRepresentable>(_ name: String, _ standard: Word) -> Word
    where Word.RawValue == String {
        if let word = Word(rawValue: form.text(name)) { return word }
        add(name, texts("settings.problem.choice"))
        return standard
    }

    /// Adds a problem.
    mutating func add(_ name: String?, _ text: String) { problems.append(FieldProblem(name, text)) }

    /// Ends reading.
    ///
    /// - Throws: ``FormProblems`` when something is wrong.
    func finish() throws {
        guard problems.isEmpty else { throw FormProblems(problems) }
    }

    /// Decodes what V1 would be sent, with V1's own checks.
    ///
    /// - Parameters:
    ///   - type: The body's type.
    ///   - body: The body.
    ///   - names: Fields of the form by those of the body, where they differ.
    /// - Returns: The decoded body.
    /// - Throws: ``FormProblems``.
    func decoded<Body: Decodable>(
        _ type: Body.Type,
        _ body: [String: JSONValue?],
        names: [String: String] = [:]
    ) throws -> Body {
        func problem(_ error: FieldError) -> FormProblems {
            FormProblems(names[error.field] ?? error.field, texts.problem(error))
        }
        do {
            let data = try JSONEncoder().encode(JSONValue.object(body.compactMapValues(\.self)))
            return try JSONDecoder().decode(type, from: data)
        } catch let error as FieldError {
            throw problem(error)
        } catch let error as DecodingError {
            throw problem(FieldError(error))
        }
    }

    // MARK: - Private

    private mutating func addNumber(_ name: String, _ range: ClosedRange<Int>) {
        let ends = ["least": String(range.lowerBound), "most": String(range.upperBound)]
        add(name, texts("settings.problem.number", ends))
    }
}
