package import Foundation

/// A small value on disk, replaced atomically: a process that is killed at any moment leaves either the old value or the new.
package struct StateFile<Value: Codable> {
    package let file: URL

    package init(file: URL) { self.file = file }

    /// Reads the value.
    ///
    /// - Returns: The value; `nil` when there is none, or when it cannot be decoded.
    /// - Throws: ``CarillonError`` when the file cannot be read, as before the phone's first unlock.
    package func load() throws(CarillonError) -> Value? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let data: Data
        do { data = try Data(contentsOf: file) } catch { throw .storage("the state file cannot be read") }
        return try? JSONDecoder().decode(Value.self, from: data)
    }

    /// Writes the value, readable by this user alone.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``CarillonError`` when it cannot be written; the old value stays.
    package func save(_ value: Value) throws(CarillonError) {
        do {
            try AtomicFile.write(JSONEncoder().encode(value), to: file)
        } catch {
            throw .storage("the state file cannot be written")
        }
    }
}

/// The folder of the SDK's files.
package enum StorageFolder {
    /// Returns the folder of one App, which is made if there is none.
    ///
    /// - Parameter configuration: Names the App and, optionally, the parent folder.
    /// - Returns: An existing folder that is not backed up and belongs to this App key alone.
    /// - Throws: ``CarillonError`` when it cannot be made.
    package static func make(for configuration: CarillonConfiguration) throws(CarillonError) -> URL {
        let shared = try base(for: configuration).appendingPathComponent("Carillon", isDirectory: true)
        try prepare(shared)
        let folder = shared.appendingPathComponent(
            hexadecimal(Checksum.of(configuration.appKey.utf8)),
            isDirectory: true
        )
        try prepare(folder)
        return folder.standardized
    }

    /// Returns the folder of what other products of the SDK keep of a person.
    ///
    /// - Parameter configuration: Names the App.
    /// - Returns: An existing folder in that of the App, which ``CarillonClient/erase(_:)`` removes.
    /// - Throws: ``CarillonError`` when it cannot be made.
    package static func makePersonal(for configuration: CarillonConfiguration) throws(CarillonError) -> URL {
        let folder = try personal(for: configuration)
        try prepare(folder)
        return folder
    }

    /// Removes the folder of ``makePersonal(for:)`` with all that is in it.
    static func removePersonal(for configuration: CarillonConfiguration) {
        guard let folder = try? personal(for: configuration) else { return }
        try? FileManager.default.removeItem(at: folder)
    }

    private static func personal(for configuration: CarillonConfiguration) throws(CarillonError) -> URL {
        try make(for: configuration).appendingPathComponent("personal", isDirectory: true)
    }

    /// Returns the folder of what belongs to no App key.
    ///
    /// - Returns: An existing folder that is not backed up.
    /// - Throws: ``CarillonError`` when it cannot be made.
    package static func makeShared() throws(CarillonError) -> URL {
        let folder = try applicationSupport().appendingPathComponent("Carillon", isDirectory: true)
        try prepare(folder)
        return folder.standardized
    }

    /// Makes a folder, and sets attributes that it does not have: a process may have been killed between the two.
    private static func prepare(_ folder: URL) throws(CarillonError) {
        let isThere = FileManager.default.fileExists(atPath: folder.path)
        do {
            if !isThere { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
            #if canImport(Darwin)
            do {
                try setAttributes(of: folder)
            } catch {
                // Before the first unlock those of an existing folder may be out of reach.
                if !isThere { throw error }
            }
            #endif
        } catch {
            throw .storage("the folder for state and events cannot be made")
        }
    }

    #if canImport(Darwin)
    private static func setAttributes(of folder: URL) throws {
        // A backup that is restored on another phone must not have this phone's registration.
        var folder = folder
        if try folder.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup != true {
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try folder.setResourceValues(values)
        }
        // An app's default may be complete protection: a service extension could then not save that a push was received while the
        // phone is locked. Files inherit it.
        #if !os(macOS)
        let protection = FileProtectionType.completeUntilFirstUserAuthentication
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
        if (attributes[.protectionKey] as? FileProtectionType)?.rawValue != protection.rawValue {
            try FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: folder.path)
        }
        #endif
    }
    #endif

    private static func base(for configuration: CarillonConfiguration) throws(CarillonError) -> URL {
        if let storage = configuration.storage { return storage }
        #if canImport(Darwin)
        if let group = configuration.appGroup {
            guard let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group) else {
                throw .invalidConfiguration("appGroup is not among the app's entitlements")
            }
            return url
        }
        #endif
        return try applicationSupport()
    }

    private static func applicationSupport() throws(CarillonError) -> URL {
        guard let url = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first else {
            throw .storage("there is no folder for Application Support")
        }
        return url
    }
}

/// FNV-1a of 64 bits: detects torn lines, and names folders.
///
/// It is no protection against intent.
package enum Checksum {
    package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

/// A number as sixteen hexadecimal digits.
package func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
