/// A label within its dimension.
public struct CategoryName: Hashable, Sendable {
    /// Empty for labels of one-dimensional categories.
    public var dimension: String
    /// The label.
    public var label: String

    /// Creates a name.
    ///
    /// - Parameters:
    ///   - dimension: Empty for labels of one-dimensional categories.
    ///   - label: The label.
    public init(dimension: String, label: String) {
        self.dimension = dimension
        self.label = label
    }
}

extension DeviceCategories {
    /// All labels, each once, in a fixed order.
    public var labels: [CategoryName] {
        let all =
            switch self {
            case .list(let ids): ids.map { CategoryName(dimension: "", label: $0) }
            case .dimensions(let dimensions):
                Array(dimensions.keys).inOrder().flatMap { name in
                    (dimensions[name] ?? []).map { CategoryName(dimension: name, label: $0) }
                }
            }
        var seen: Set<CategoryName> = []
        return all.filter { seen.insert($0).inserted }
    }
}
