import Foundation
import Testing

/// The rules that all operations of the description follow, so that who knows one knows the others.
struct OpenAPIRulesTests {
    @Test("Each operation has an id of its own, whose verb is that of its method")
    func operationIDs() async throws {
        let operations = try await Description.read().operations
        #expect(Set(operations.map(\.id)).count == operations.count && operations.count > 90)
        let verbs = [
            "GET": ["get", "list", "export", "stream"], "PUT": ["set", "register"], "PATCH": ["update"],
            "DELETE": ["delete", "remove", "erase", "revoke"],
        ]
        for operation in operations {
            guard let verbs = verbs[operation.method] else { continue }
            #expect(verbs.contains(operation.id.leadingWord), "\(operation)")
        }
    }

    @Test("A fixed name never stands where another path has an id")
    func fixedNames() async throws {
        let paths = Set(try await Description.read().operations.map(\.path)).map { $0.split(separator: "/") }
        for path in paths {
            for (index, part) in path.enumerated() where !part.hasPrefix("{") {
                let clash = paths.contains { other in
                    other.count > index && other[..<index] == path[..<index] && other[index].hasPrefix("{")
                }
                #expect(!clash, "/\(path.joined(separator: "/"))")
            }
        }
    }

    @Test("The App is named by the query alone, or is the path's own object")
    func appScope() async throws {
        let description = try await Description.read()
        for operation in description.operations {
            #expect(operation.path.contains("{app}") == operation.path.hasPrefix("/v1/apps/{"), "\(operation)")
            for parameter in operation.parameters where parameter.name == "app" && parameter.place == "query" {
                #expect(["RequiredApp", "NamedApp"].contains(parameter.component), "\(operation)")
            }
            #expect(description.properties(ofBodyOf: operation)["app"] == nil, "\(operation)")
        }
    }

    @Test("Every list has the same two parameters and answers a page")
    func paging() async throws {
        let description = try await Description.read()
        for operation in description.operations {
            let named = operation.parameters.filter { ["cursor", "limit"].contains($0.name) && $0.component != nil }
            let page = description.properties(ofAnswerOf: operation)
            let isList = operation.id.hasPrefix("list")
            #expect((Set(named.compactMap(\.component)) == ["Cursor", "Limit"]) == isList, "\(operation)")
            #expect((page["nextCursor"] != nil) == isList, "\(operation)")
            if isList { #expect(Set(page.keys) == ["items", "nextCursor"], "\(operation)") }
            #expect(!operation.parameters.contains { $0.name == "limit" && $0.component == nil }, "\(operation)")
        }
    }

    @Test("An operation with a query can refuse its values")
    func queries() async throws {
        for operation in try await Description.read().operations {
            guard operation.parameters.contains(where: { $0.place == "query" }) else { continue }
            #expect(operation.problems.contains { $0.status == "422" }, "\(operation)")
        }
    }

    @Test("Ranges are from and until")
    func ranges() async throws {
        let description = try await Description.read()
        let others: Set = ["to", "till", "through", "since", "after", "before", "start", "end", "begin"]
        for operation in description.operations {
            for parameter in operation.parameters where parameter.place == "query" {
                let words = parameter.name.words
                #expect(others.isDisjoint(with: words), "\(operation) \(parameter.name)")
                #expect(words.contains("from") == false || operation.hasParameter(parameter.name.untilFrom))
            }
        }
        for (name, schema) in description.schemas {
            let properties = description.properties(schema)
            // `from` is a sender as well.
            let isRange = properties["from"].map { !Description.references(in: $0).contains("UserID") } ?? false
            #expect(!isRange || properties["until"] != nil, "\(name)")
        }
    }

    @Test("Times are RFC 3339")
    func times() async throws {
        let description = try await Description.read()
        for (name, schema) in description.schemas {
            for (property, value) in description.properties(schema) where property.isTimeName {
                let references = Description.references(in: value)
                // Local times and days, the times of several consents, and a sender.
                let allowed = ["Timestamp", "TimeOfDay", "CalendarDay", "WallTime", "ConsentTimes", "UserID"]
                #expect(!references.isDisjoint(with: allowed), "\(name).\(property)")
            }
        }
        for parameter in description.operations.flatMap(\.parameters) where parameter.name.isTimeName {
            #expect(Description.references(in: parameter.schema) == ["Timestamp"], "\(parameter.name)")
        }
    }

    @Test("A kind of problem has one status, and each that the server can answer is described")
    func problems() async throws {
        let description = try await Description.read()
        var status: [String: Set<String>] = [:]
        for (code, name) in description.operations.flatMap(\.problems) {
            let codes = description.codes(ofResponse: name)
            #expect(!codes.isEmpty, "\(name)")
            for kind in codes { status[kind, default: []].insert(code) }
        }
        for (code, statuses) in status { #expect(statuses.count == 1, "\(code): \(statuses)") }

        let known = try Problems.inSources()
        // No operation answers for a method that is none.
        #expect(Set(known.keys).subtracting(status.keys).sorted() == ["method-not-allowed"])
        #expect(Set(status.keys).subtracting(known.keys).sorted() == [])
        for (code, number) in known where code != "method-not-allowed" {
            #expect(status[code] == [number], "\(code)")
        }
    }
}

extension String {
    fileprivate var leadingWord: String { String(prefix { $0.isLowercase }) }

    /// The words of a name such as `dueUntil`.
    fileprivate var words: [String] {
        var words = [""]
        for character in self {
            if character.isUppercase { words.append("") }
            words[words.count - 1].append(character.lowercased())
        }
        return words
    }

    /// The name of the end of a range whose begin has this name.
    fileprivate var untilFrom: String { self == "from" ? "until" : replacing("From", with: "Until") }

    fileprivate var isTimeName: Bool {
        ["at", "from", "until", "since"].contains(self) || words.last == "at" || words.last == "until"
    }
}
