package import CarillonModel
import Foundation

extension DeviceCategories {
    /// Parses categories in form fields: a JSON array of ids, a JSON object of labels, or one id alone, such as `1`.
    ///
    /// Ids and labels may be numbers. `nil` for anything else, and for values that ``DeviceCategories`` refuses.
    package init?(text: String) {
        guard text.hasPrefix("[") || text.hasPrefix("{") else {
            self.init(checking: .list([text]))
            return
        }
        switch try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) {
        case .array(let ids)?:
            guard let labels = Self.labels(ids) else { return nil }
            self.init(checking: .list(labels))
        case .object(let members)?:
            var dimensions: [String: [String]] = [:]
            for (name, value) in members {
                guard case .array(let elements) = value, let labels = Self.labels(elements) else { return nil }
                dimensions[name] = labels
            }
            self.init(checking: .dimensions(dimensions))
        default: return nil
        }
    }

    private init?(checking categories: DeviceCategories) {
        guard (try? categories.validate()) != nil else { return nil }
        self = categories
    }

    private static func labels(_ elements: [JSONValue]) -> [String]? {
        let labels = elements.compactMap { element -> String? in
            switch element {
            case .string(let text): text
            case .integer(let number): String(number)
            default: nil
            }
        }
        return labels.count == elements.count ? labels : nil
    }
}
