/// A statement, written as a literal: values are bound, never pasted in.
///
/// Parameters are `$1`, `$2` … and appear first in that order (SQLite numbers them as it meets them). One text serves
/// both databases; where that cannot be, ``Dialect/pick(sqlite:postgreSQL:)`` chooses.
package struct SQL: ExpressibleByStringLiteral, Sendable {
    package let text: StaticString

    package init(stringLiteral value: StaticString) { text = value }

    /// The literal's address, by which prepared statements are found again without hashing the text.
    var key: UnsafeRawPointer { UnsafeRawPointer(text.utf8Start) }
}
