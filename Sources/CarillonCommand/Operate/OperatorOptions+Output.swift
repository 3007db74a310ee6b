import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation

/// A column of a list.
struct Column: Sendable {
    var title: String
    var text: @Sendable (JSONValue) -> String?

    /// A column with the value at a path, such as `funnel.accepted`.
    init(_ title: String, _ path: String) {
        self.title = title
        text = { $0.at(path)?.cell }
    }

    init(_ title: String, text: @escaping @Sendable (JSONValue) -> String?) {
        self.title = title
        self.text = text
    }
}

extension OperatorOptions {
    /// Sends a request and prints the object of the response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - done: What is printed when the response has no body.
    /// - Throws: As ``run(_:)``.
    func show(_ request: OperatorRequest, done: String = "Done.") async throws {
        let data = try await run { api in try await send(request, api) }
        guard !data.isEmpty else {
            if !json, field == nil { print(done) }
            return
        }
        try show(try JSONValue(response: data))
    }

    /// Prints an object: as JSON, one field of it, or a table of fields.
    func show(_ value: JSONValue) throws {
        if let field { return try printField(field, value) }
        if json { return try OperatorOutput.print(value) }
        Self.table(value).print()
    }

    /// Sends a request and prints the object of the response, with one of its members as a table of rows below it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - member: The member with the rows.
    ///   - columns: The columns of the rows.
    /// - Throws: As ``run(_:)``.
    func show(_ request: OperatorRequest, listing member: String, _ columns: [Column]) async throws {
        let answer = try await run { api in try JSONValue(response: try await send(request, api)) }
        try show(answer, listing: [(member, columns)])
    }

    /// Prints an object with some of its members as tables of rows below it.
    ///
    /// - Parameters:
    ///   - answer: The object.
    ///   - listings: The members with rows, each with the columns of these.
    /// - Throws: When the answer has no field of `--field`.
    func show(_ answer: JSONValue, listing listings: [(member: String, columns: [Column])]) throws {
        guard !json, field == nil, var members = answer.object else { return try show(answer) }
        let lists = listings.map { (rows: members.removeValue(forKey: $0.member)?.array ?? [], columns: $0.columns) }
        let isEmpty = members.isEmpty
        if !isEmpty { try show(.object(members)) }
        // An object that is nothing but a list shows its titles also without rows.
        for (place, list) in lists.enumerated() where !list.rows.isEmpty || isEmpty {
            if place > 0 || !isEmpty { print() }
            try ListOutput(list.columns, json: false, field: nil).printAll(list.rows)
        }
    }

    /// Reads a list page by page, and prints each page.
    ///
    /// - Parameters:
    ///   - request: The request of the first page.
    ///   - pages: How much of the list.
    ///   - columns: The table's columns.
    ///   - isWanted: Selects rows, where the API has no filter.
    /// - Throws: As ``run(_:)``; what was printed stays.
    func list(
        _ request: OperatorRequest,
        _ pages: PageOptions,
        _ columns: [Column],
        where isWanted: (JSONValue) -> Bool = { _ in true }
    ) async throws {
        try await run { api in
            var output = ListOutput(columns, json: json, field: field)
            var rest = pages.most
            var cursor = pages.cursor
            var request = request
            request.pin(app: try await app(for: request, api))
            repeat {
                request.query[APIName.cursor] = cursor
                request.query[APIName.limit] = String(min(APIName.pageSize, rest))
                let page = try JSONValue(response: try await send(request, api))
                guard let items = page[APIName.items]?.array?.filter(isWanted) else { throw Self.notAList }
                try output.print(items)
                cursor = page[APIName.nextCursor]?.string
                rest -= items.count
            } while cursor != nil && rest > 0
            try output.end(cursor)
        }
    }

    // MARK: - Private

    /// A table of an object's fields.
    static func table(_ value: JSONValue) -> TextTable {
        var table = TextTable("FIELD", "VALUE")
        for leaf in value.leaves { table.add(leaf.path, leaf.value.cell) }
        return table
    }

    private func printField(_ field: String, _ value: JSONValue) throws {
        guard let found = value.at(field) else {
            throw CommandFailure(
                .usage,
                "The answer has no field \(field). It has: \(value.leaves.map(\.path).joined(separator: ", "))."
            )
        }
        print(Terminal.escaped(found.cell ?? ""))
    }

    private static let notAList = CommandFailure(
        .software,
        "The server's response is not a list. Is it the same version of carillon?"
    )
}

/// Prints a list page by page: as a table, one field, or an object of JSON with all items.
struct ListOutput {
    private let columns: [Column]
    private let json: Bool
    private let field: String?
    private var table: TextTable
    private var isFirst = true

    init(_ columns: [Column], json: Bool, field: String?) {
        self.columns = columns
        self.json = json
        self.field = field
        table = TextTable(columns.map(\.title))
    }

    mutating func print(_ items: [JSONValue]) throws {
        if let field {
            if isFirst { try check(field, items) }
            isFirst = isFirst && items.isEmpty
            for item in items { Swift.print(Terminal.escaped(item.at(field)?.cell ?? "")) }
        } else if json {
            for item in items {
                let text = try OperatorOutput.text(item).replacing("\n", with: "\n    ")
                Swift.print((isFirst ? "{\n  \"items\" : [\n    " : ",\n    ") + text, terminator: "")
                isFirst = false
            }
        } else {
            for item in items { table.add(columns.map { $0.text(item) }) }
            table.printPage()
        }
    }

    /// - Throws: When no item has the field; that of some may be missing.
    private func check(_ field: String, _ items: [JSONValue]) throws {
        guard !items.isEmpty, items.allSatisfy({ $0.at(field) == nil }) else { return }
        let names = Set(items.flatMap { $0.leaves.map(\.path) }).sorted()
        throw CommandFailure(.usage, "No item has a field \(field). They have: \(names.joined(separator: ", ")).")
    }

    /// Ends the list; `cursor` continues it.
    func end(_ cursor: String?) throws {
        if json, field == nil {
            let next =
                try cursor.map { ",\n  \"\(APIName.nextCursor)\" : " + (try OperatorOutput.text(JSONValue.string($0))) }
                ?? ""
            Swift.print((isFirst ? "{\n  \"items\" : [" : "\n  ") + "]\(next)\n}")
        }
        fflush(nil)
        if let cursor, !json {
            Terminal.complain("There is more: --all, or --cursor '\(Terminal.escaped(cursor))'.")
        }
    }
}

extension OperatorRequest {
    /// Names the App for good, so that later pages do not ask for it again.
    fileprivate mutating func pin(app id: String?) {
        if let id, path.needsApp { path = APIPath(stringLiteral: path.resolved(app: id)) }
        if app != .nowhere { query[APIName.app] = id }
        app = .nowhere
    }
}

extension JSONValue {
    /// Parses a response.
    init(response data: Data) throws {
        do {
            try self.init(json: data)
        } catch {
            throw CommandFailure(.software, "The server's response is not JSON. Is it a Carillon server?")
        }
    }
}

extension ListOutput {
    /// Prints a list that is complete.
    consuming func printAll(_ items: [JSONValue]) throws {
        var output = self
        try output.print(items)
        try output.end(nil)
    }
}
