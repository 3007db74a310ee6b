import CarillonEngine
import Foundation
import TestSupport
import Testing

/// The API's description, for tests of what it says.
struct Description {
    /// A parameter of an operation.
    struct Parameter {
        let name: String
        /// `path`, `query` or `header`.
        let place: String
        /// The name of the component that it refers to; `nil` when it is written in place.
        let component: String?
        let schema: [String: Any]
    }

    /// A method of a path.
    struct Operation: CustomStringConvertible {
        let method: String
        let path: String
        let id: String
        let parameters: [Parameter]
        let content: [String: Any]

        var description: String { "\(method) \(path) \(id)" }

        /// Status and component of each response that is a problem.
        var problems: [(status: String, component: String)] {
            let responses = content["responses"] as? [String: [String: Any]] ?? [:]
            return responses.compactMap { status, response in
                (response["$ref"] as? String).map { (status, Description.lastPart($0)) }
            }
        }

        func hasParameter(_ name: String) -> Bool { parameters.contains { $0.name == name } }
    }

    let root: [String: Any]
    let operations: [Operation]

    /// Reads the file.
    static func read() async throws -> Description {
        let root = try JSONSerialization.jsonObject(with: try await json.value)
        return try Description(try #require(root as? [String: Any]))
    }

    /// The file as JSON, read once; PyYAML decodes it.
    private static let json = Task {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "openapi.json")
        let process = Process()
        process.executableURL = package.appending(path: ".build/aioapns/bin/python")
        process.arguments = [
            "-c", "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), open(sys.argv[2], 'w'))",
            package.appending(path: "Sources/CarillonServer/Resources/openapi.yaml").path, file.path,
        ]
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do { try process.start() } catch { ended.resume(throwing: error) }
        }
        return try Data(contentsOf: file)
    }

    private init(_ root: [String: Any]) throws {
        self.root = root
        let paths = try #require(root["paths"] as? [String: [String: Any]])
        let parameters = (root["components"] as? [String: Any])?["parameters"] as? [String: [String: Any]] ?? [:]
        func read(_ value: Any?) -> [Parameter] {
            (value as? [[String: Any]] ?? []).map { parameter in
                let component = (parameter["$ref"] as? String).map(Self.lastPart)
                let whole = component.flatMap { parameters[$0] } ?? parameter
                return Parameter(
                    name: whole["name"] as? String ?? "",
                    place: whole["in"] as? String ?? "",
                    component: component,
                    schema: whole["schema"] as? [String: Any] ?? [:]
                )
            }
        }
        operations = paths.flatMap { path, item in
            ["get", "post", "put", "patch", "delete"].compactMap { method in
                guard let content = item[method] as? [String: Any] else { return nil }
                return Operation(
                    method: method.uppercased(),
                    path: path,
                    id: content["operationId"] as? String ?? "",
                    parameters: read(item["parameters"]) + read(content["parameters"]),
                    content: content
                )
            }
        }
    }

    var schemas: [String: [String: Any]] {
        (root["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]] ?? [:]
    }

    /// The properties of an object, or of the object that it refers to.
    func properties(_ schema: [String: Any]?) -> [String: [String: Any]] {
        guard let schema else { return [:] }
        if let reference = schema["$ref"] as? String { return properties(schemas[Self.lastPart(reference)]) }
        return schema["properties"] as? [String: [String: Any]] ?? [:]
    }

    func properties(ofBodyOf operation: Operation) -> [String: [String: Any]] {
        properties(Self.schema(operation.content["requestBody"]))
    }

    func properties(ofAnswerOf operation: Operation) -> [String: [String: Any]] {
        let responses = operation.content["responses"] as? [String: Any] ?? [:]
        return properties(Self.schema(responses["200"] ?? responses["201"]))
    }

    /// The codes that a response's description has between backquotes.
    func codes(ofResponse name: String) -> [String] {
        let responses = (root["components"] as? [String: Any])?["responses"] as? [String: [String: Any]] ?? [:]
        let text = responses[name]?["description"] as? String ?? ""
        // Of a field's name a code differs by its hyphens; one has none.
        return text.matches(of: #/`([a-z]+(?:-[a-z]+)+|conflict)`/#).map { String($0.1) }
    }

    /// The names of all schemas that a schema refers to.
    static func references(in schema: [String: Any]) -> Set<String> {
        var names: Set<String> = []
        for (name, value) in schema {
            if name == "$ref", let reference = value as? String { names.insert(lastPart(reference)) }
            let inner = (value as? [[String: Any]]) ?? (value as? [String: Any]).map { [$0] } ?? []
            for schema in inner { names.formUnion(references(in: schema)) }
        }
        return names
    }

    fileprivate static func lastPart(_ reference: String) -> String {
        String(reference.split(separator: "/").last ?? "")
    }

    private static func schema(_ holder: Any?) -> [String: Any]? {
        let content = (holder as? [String: Any])?["content"] as? [String: [String: Any]]
        return content?["application/json"]?["schema"] as? [String: Any]
    }
}

/// The kinds of problems that the server's sources name.
enum Problems {
    /// Returns the status of each kind.
    static func inSources() throws -> [String: String] {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
            .standardized
        let problems = try ["Problems", "Problems+Accounts", "Problems+Operators"].map { name in
            try String(
                contentsOf: sources.appending(path: "CarillonServer/Middleware/\(name).swift"),
                encoding: .utf8
            )
        }.joined()
        var found: [String: String] = [:]
        for match in problems.matches(of: #/code: "([a-z-]+)",\s+title: "[^"]*",\s+status: (\d+)/#) {
            found[String(match.1)] = String(match.2)
        }
        for subject in EngineError.Subject.allCases { found["unknown-" + subject.rawValue] = "404" }
        return found
    }
}
