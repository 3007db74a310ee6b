import ArgumentParser
import CarillonModel

/// Fields of a request, from a file and from single options.
struct FieldOptions: ParsableArguments {
    @Option(help: "A file with the request's fields as JSON; - for the standard input.", completion: .file())
    var file: String?

    @Option(
        name: .customLong("set"),
        help: """
            A field as FIELD=VALUE, such as adRule=korean or sendingRules.controlGroup=5; VALUE is JSON, or else a text; \
            @FILE reads JSON from a file; may be repeated.
            """
    )
    var fields: [String] = []

    /// The file's fields, then those of the options.
    ///
    /// - Parameter named: Fields of options of their own; `nil` ones are left out.
    /// - Returns: An object.
    /// - Throws: When the file is not an object of JSON, or an option is malformed.
    func body(_ named: [String: JSONValue?] = [:]) throws -> JSONValue {
        var body = JSONValue.object(try file.map(OperatorInput.object(from:)) ?? [:])
        for (name, value) in named { if let value { body.set([name], value) } }
        for field in fields {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let path = parts[0].split(separator: ".").map(String.init)
            guard parts.count == 2, !path.isEmpty else {
                throw ValidationError("--set is FIELD=VALUE, such as name=News.")
            }
            body.set(path, try Self.value(String(parts[1])))
        }
        return body
    }

    /// The same, for requests that must change something.
    func change(_ named: [String: JSONValue?] = [:]) throws -> JSONValue {
        let body = try body(named)
        guard body.object?.isEmpty == false else {
            throw ValidationError("There is nothing to change: give --set FIELD=VALUE or --file.")
        }
        return body
    }

    /// A value of the command line: JSON, a file, or a text.
    static func value(_ text: String) throws -> JSONValue {
        if text.hasPrefix("@") { return try OperatorInput.json(text, option: "--set") }
        return plainValue(text)
    }

    /// A value of the command line: JSON, or a text.
    static func plainValue(_ text: String) -> JSONValue {
        guard !text.hasPrefix("@") else { return .string(text) }
        return (try? OperatorInput.json(text, option: "--set")) ?? .string(text)
    }
}

extension JSONValue {
    /// Sets a member, and creates objects on its path.
    fileprivate mutating func set(_ path: [String], _ value: JSONValue) {
        guard let name = path.first else {
            self = value
            return
        }
        var members = object ?? [:]
        var member = members[name] ?? .object([:])
        member.set(Array(path.dropFirst()), value)
        members[name] = member
        self = .object(members)
    }
}

extension [String] {
    /// The texts as JSON.
    var json: JSONValue { .array(map(JSONValue.string)) }
}
