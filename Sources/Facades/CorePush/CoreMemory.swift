#if canImport(UIKit)
import FacadeSupport

/// The managers' settings, stored across launches.
struct CoreMemory: Sendable {
    /// The names of the settings.
    enum Name: String {
        case configKey, pushEnabled, debugEnabled, deviceIdEnabled, deviceIdHashEnabled, locationServiceEnabled
        case categoryIds, multiCategoryIds, appUserId, deviceToken, isDeviceTokenSentToServer
        case surveyID
    }

    let memory: any FacadeStorage

    func read<Value: Decodable>(_ name: Name) throws -> Value? { try memory.read("core." + name.rawValue) }

    func value<Value: Decodable>(_ name: Name) -> Value? { memory.value("core." + name.rawValue) }

    func keep<Value: Encodable>(_ value: Value?, _ name: Name) { memory.keep(value: value, "core." + name.rawValue) }
}
#endif
