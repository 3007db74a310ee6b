/// The prepared statements of composed texts that a connection keeps: a few, the last used ones.
///
/// One that is given up while it is in use lives on with whoever uses it.
struct ComposedStatements<Statement> {
    /// How many are kept: an audience that is being sent needs two or three.
    static var capacity: Int { 48 }

    private var statements: [String: Statement] = [:]
    /// The texts, the last used one last.
    private var order: [String] = []

    var count: Int { order.count }

    mutating func statement(_ text: String) -> Statement? {
        guard let statement = statements[text] else { return nil }
        if order.last != text, let place = order.firstIndex(of: text) {
            order.remove(at: place)
            order.append(text)
        }
        return statement
    }

    /// Keeps a statement.
    ///
    /// - Returns: The one that was given up for it.
    @discardableResult
    mutating func keep(_ statement: Statement, of text: String) -> Statement? {
        statements[text] = statement
        order.append(text)
        guard order.count > Self.capacity else { return nil }
        return statements.removeValue(forKey: order.removeFirst())
    }
}
