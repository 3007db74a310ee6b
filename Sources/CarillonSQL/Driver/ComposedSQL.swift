/// A statement that is composed at run time, such as an audience's, with as many conditions as its operator wrote.
///
/// Its text consists of literals of this program; values from outside are bound. Parameters are numbered in the order
/// of the text.
///
/// A connection caches a few dozen prepared ones by their text, and closes the least recently used.
package struct ComposedSQL: Sendable {
    /// The source of a parameter's value.
    package enum Parameter: Hashable, Sendable {
        case value(SQLValue)
        /// Bound again for each run.
        case slot(Slot)
    }

    /// A parameter that changes from run to run of one statement.
    package enum Slot: Hashable, Sendable, CaseIterable {
        case app
        /// The number before the first.
        case after
        /// The last number, included.
        case through
        /// The maximum number of rows.
        case limit
    }

    package private(set) var text = ""
    package private(set) var parameters: [Parameter] = []

    package init() {}

    /// Creates a statement from names of this program's schema.
    package init(ofOurs text: String) { self.text = text }

    /// Adds literal text.
    package mutating func append(_ literal: SQL) { text += literal.text }

    /// Adds an integer as text, where PostgreSQL could not infer a parameter's type.
    package mutating func append(number: Int) { text += String(number) }

    /// Adds a parameter with its value.
    package mutating func bind(_ value: SQLValue) { appendParameter(.value(value)) }

    /// Adds a parameter that ``bind(to:slots:)`` fills; all uses of a slot share one parameter.
    package mutating func bind(_ slot: Slot) { appendParameter(.slot(slot)) }

    /// Adds parameters with commas between them.
    package mutating func bind(list values: some Sequence<SQLValue>) {
        for (place, value) in values.enumerated() {
            if place > 0 { append(", ") }
            bind(value)
        }
    }

    /// The statement that explains this one's plan.
    package var explained: ComposedSQL {
        var explained = self
        explained.text = "EXPLAIN " + text
        return explained
    }

    /// Binds all parameters of the prepared statement.
    ///
    /// - Parameters:
    ///   - statement: The prepared statement of this text.
    ///   - value: The value of a slot in this run.
    package func bind(to statement: any SQLStatement, slots value: (Slot) -> Int64) {
        for (place, parameter) in parameters.enumerated() {
            switch parameter {
            case .value(let bound): bound.bind(to: statement, at: place + 1)
            case .slot(let slot): statement.bind(value(slot), at: place + 1)
            }
        }
    }

    private mutating func appendParameter(_ parameter: Parameter) {
        if let known = parameters.firstIndex(of: parameter), case .slot = parameter {
            text += "$\(known + 1)"
        } else {
            parameters.append(parameter)
            text += "$\(parameters.count)"
        }
    }
}

/// A value of one of the kinds that columns have.
package enum SQLValue: Hashable, Sendable {
    case integer(Int64)
    case number(Double)
    case text(String)
    case bytes([UInt8])
}

extension SQLValue: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        switch self {
        case .integer(let value): value.bind(to: statement, at: index)
        case .number(let value): value.bind(to: statement, at: index)
        case .text(let value): value.bind(to: statement, at: index)
        case .bytes(let value): value.bind(to: statement, at: index)
        }
    }
}
