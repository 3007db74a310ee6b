/// A statement as a literal: values are bound, never inserted into the text.
///
/// Parameters are `$1`, `$2` … and appear first in that order (SQLite numbers them by appearance). One text serves both
/// databases; where that is impossible, ``Dialect/pick(sqlite:postgreSQL:)`` selects one.
///
/// Only columns of an ``SQLColumn`` can be interpolated:
///
///     "SELECT \(DeviceColumn.list) FROM devices WHERE app_id = $1"
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    private enum Content: Sendable {
        case literal(StaticString)
        case composed([SQLFragment])
    }

    private let content: Content

    package init(stringLiteral value: StaticString) { content = .literal(value) }

    package init(stringInterpolation: Interpolation) { content = .composed(stringInterpolation.fragments) }

    /// The statement as the database reads it.
    package var text: String {
        switch content {
        case .literal(let text): text.description
        case .composed(let fragments): fragments.map(\.text).joined()
        }
    }

    /// The key by which a prepared statement is cached, without composing or hashing its text.
    var key: Key {
        switch content {
        case .literal(let text): .literal(UnsafeRawPointer(text.utf8Start))
        case .composed(let fragments): .composed(fragments.map(\.key))
        }
    }

    enum Key: Hashable {
        /// The literal's address.
        case literal(UnsafeRawPointer)
        case composed([SQLFragment.Key])
    }

    /// The pieces of an interpolated statement.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var fragments: [SQLFragment] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            fragments.reserveCapacity(2 * interpolationCount + 1)
        }

        package mutating func appendLiteral(_ literal: StaticString) { fragments.append(SQLFragment(literal)) }

        package mutating func appendInterpolation(_ fragment: SQLFragment) { fragments.append(fragment) }
    }
}

/// A piece of a statement: literal text, or columns of an ``SQLColumn``.
package struct SQLFragment: Sendable {
    /// The form of the columns; the addresses are those of literals.
    enum Form: Hashable, @unchecked Sendable {
        case literal(UnsafeRawPointer)
        case columns(alias: UnsafeRawPointer?)
        case parameters
        case assignments
    }

    /// Distinguishes this fragment's text from others'.
    struct Key: Hashable, Sendable {
        let form: Form
        let columns: ObjectIdentifier?
        let range: Range<Int>
    }

    let key: Key
    private let render: @Sendable () -> String

    var text: String { render() }

    init(_ literal: StaticString) {
        key = Key(form: .literal(UnsafeRawPointer(literal.utf8Start)), columns: nil, range: 0..<0)
        render = { literal.description }
    }

    init<Column: SQLColumn>(_ columns: some Collection<Column>, _ form: Form, render: @escaping @Sendable () -> String)
    {
        let range = columns.first.map { $0.rawValue..<$0.rawValue + columns.count } ?? 0..<0
        key = Key(form: form, columns: ObjectIdentifier(Column.self), range: range)
        self.render = render
    }
}
