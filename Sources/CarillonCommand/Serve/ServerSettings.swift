import ApplePushConnection
import Configuration
import Foundation
import Logging
import SystemPackage

/// A server's settings: from flags first, then environment variables, then a file.
struct ServerSettings: Sendable {
    /// An invalid setting, described for the operator.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let reader: ConfigReader
    /// Settings that are treated as missing.
    private var omitted: Set<ServerSetting> = []

    /// Combines the sources.
    ///
    /// - Parameters:
    ///   - flags: The command line's flags.
    ///   - environment: Environment variables.
    ///   - file: A JSON file; `nil` for none.
    /// - Throws: ``Failure`` when the file cannot be read or has an unknown key.
    init(
        flags: [ServerSetting: ConfigValue],
        environment: [String: String],
        file: String?
    ) async throws {
        let flags = Dictionary(
            uniqueKeysWithValues: flags.map { (AbsoluteConfigKey(ConfigKey($0.key.rawValue)), $0.value) }
        )
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "flags", values: flags),
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "carillon"),
        ]
        if let file {
            try Self.checkKeys(of: file)
            providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
        }
        reader = ConfigReader(providers: providers)
    }

    /// The same without some settings.
    func omitting(_ settings: Set<ServerSetting>) -> Self {
        var copy = self
        copy.omitted.formUnion(settings)
        return copy
    }

    // MARK: Values

    func text(_ setting: ServerSetting) throws -> String? {
        guard !omitted.contains(setting) else { return nil }
        guard let text = reader.string(forKey: setting.key) else {
            guard isPresent(setting) else { return nil }
            throw Failure(description: "\(setting.rawValue) must be a text.")
        }
        guard !text.isEmpty else { throw Failure(description: "\(setting.rawValue) must not be empty.") }
        return text
    }

    func texts(_ setting: ServerSetting) throws -> [String] {
        if let texts = reader.stringArray(forKey: setting.key) { return texts }
        return try text(setting).map { [$0] } ?? []
    }

    func word<Word: RawRepresentable & CaseIterable>(
        _ setting: ServerSetting,
        _: Word.Type
    ) throws -> Word? where Word.RawValue == String {
        guard let text = try text(setting) else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(description: "\(setting.rawValue) must be one of \(words).")
        }
        return word
    }

    func integer(_ setting: ServerSetting, _ range: ClosedRange<Int>) throws -> Int? {
        guard let number = reader.int(forKey: setting.key) else {
            guard isPresent(setting) else { return nil }
            throw Failure(description: "\(setting.rawValue) must be an integer.")
        }
        guard range.contains(number) else {
            throw Failure(description: "\(setting.rawValue) must be \(range.lowerBound) through \(range.upperBound).")
        }
        return number
    }

    func number(_ setting: ServerSetting, _ range: ClosedRange<Double>) throws -> Double? {
        guard let number = reader.double(forKey: setting.key) ?? reader.int(forKey: setting.key).map(Double.init) else {
            guard isPresent(setting) else { return nil }
            throw Failure(description: "\(setting.rawValue) must be a number.")
        }
        guard range.contains(number) else {
            throw Failure(description: "\(setting.rawValue) must be \(range.lowerBound) through \(range.upperBound).")
        }
        return number
    }

    func flag(_ setting: ServerSetting) throws -> Bool? {
        guard let flag = reader.bool(forKey: setting.key) else {
            guard isPresent(setting) else { return nil }
            throw Failure(description: "\(setting.rawValue) must be true or false.")
        }
        return flag
    }

    // MARK: - Private

    private func isPresent(_ setting: ServerSetting) -> Bool {
        let key = setting.key
        return reader.string(forKey: key) != nil || reader.double(forKey: key) != nil || reader.bool(forKey: key) != nil
            || reader.int(forKey: key) != nil || reader.stringArray(forKey: key) != nil
    }

    /// An unknown key is probably misspelt.
    private static func checkKeys(of file: String) throws {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw Failure(description: "Cannot read the configuration file \(file).")
        }
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw Failure(description: "The configuration file \(file) must be a JSON object.")
        }
        let known = Set(ServerSetting.allCases.map(\.rawValue))
        for key in keys(of: object, under: "") where !known.contains(key) {
            throw Failure(description: "The configuration file \(file) has the key \(key), which is not known.")
        }
    }

    private static func keys(of object: [String: Any], under prefix: String) -> [String] {
        object.flatMap { name, value in
            (value as? [String: Any]).map { keys(of: $0, under: prefix + name + ".") } ?? [prefix + name]
        }.sorted()
    }
}

extension ServerSetting {
    fileprivate var key: ConfigKey { ConfigKey(rawValue) }
}
