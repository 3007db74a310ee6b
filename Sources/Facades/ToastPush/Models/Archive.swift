#if canImport(UIKit)
import Foundation

/// Archives a model's fields as JSON under one key.
enum Archive {
    private static let key = "fields"

    static func encode(_ fields: some Encodable, in coder: NSCoder) {
        guard let data = try? JSONEncoder().encode(fields) else { return }
        coder.encode(data as NSData, forKey: key)
    }

    static func decode<Fields: Decodable>(_ coder: NSCoder) -> Fields? {
        guard let data = coder.decodeObject(of: NSData.self, forKey: key) else { return nil }
        return try? JSONDecoder().decode(Fields.self, from: data as Data)
    }
}
#endif
