/// A value that can be bound to a parameter.
package protocol SQLBindable {
    func bind(to statement: any SQLStatement, at index: Int)
}

extension Int64: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(self, at: index) }
}

extension Int: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(Int64(self), at: index) }
}

extension Bool: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(Int64(self ? 1 : 0), at: index) }
}

extension Double: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(self, at: index) }
}

extension String: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(self, at: index) }
}

extension [UInt8]: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        withUnsafeBytes { statement.bind($0, at: index) }
    }
}

extension Optional: SQLBindable where Wrapped: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        switch self {
        case .some(let value): value.bind(to: statement, at: index)
        case .none: statement.bindNull(at: index)
        }
    }
}

/// Ids, times and enums are stored as their raw values.
extension SQLBindable where Self: RawRepresentable, RawValue: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { rawValue.bind(to: statement, at: index) }
}
