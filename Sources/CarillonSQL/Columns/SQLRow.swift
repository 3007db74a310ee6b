import StoreErrors

/// The current row of a statement, read by column.
///
/// It is valid until the next row.
package struct SQLRow<Column: SQLColumn> {
    fileprivate let statement: any SQLStatement
    /// The number of columns of other tables before these.
    fileprivate let offset: Int

    package init(_ statement: any SQLStatement, offset: Int = 0) {
        self.statement = statement
        self.offset = offset
    }

    /// The columns of another table, which follow these in the statement.
    package func following<Next: SQLColumn>(_: Next.Type) -> SQLRow<Next> {
        SQLRow<Next>(statement, offset: offset + Column.allCases.count)
    }

    /// The column's value.
    package subscript<Value: SQLReadable>(_ column: Column) -> Value {
        get throws(StoreError) { try Value.read(statement, at: offset + column.rawValue) }
    }
}

/// The parameters of a statement, bound by column in the order of ``SQLColumn/parameters``.
package struct SQLParameters<Column: SQLColumn> {
    fileprivate let statement: any SQLStatement

    package init(_ statement: any SQLStatement) { self.statement = statement }

    package func bind(_ value: some SQLBindable, to column: Column) {
        value.bind(to: statement, at: column.rawValue + 1)
    }
}
