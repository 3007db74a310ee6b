/// A value that a statement's parameter may take.
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

/// Ids, times and words of a fixed list are kept as what they wrap.
extension SQLBindable where Self: RawRepresentable, RawValue: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) { rawValue.bind(to: statement, at: index) }
}
