package import CarillonModel
import Foundation

/// A Device as an export contains it.
package struct ExportedDevice: Hashable, Sendable {
    package var number: DeviceNumber
    package var device: DeviceID
    package var registration: Registration
    /// The numbers of its User's tags.
    package var tags: [Int64]
    package var tokenState: DeviceRecord.TokenState
    package var voip: VoIPRegistration?
    package var createdAt: Timestamp
    package var registeredAt: Timestamp
    /// When an import last changed it after it was created; `nil` when none did.
    package var importedAt: Timestamp?

    package init(
        number: DeviceNumber,
        device: DeviceID,
        registration: Registration,
        tags: [Int64],
        tokenState: DeviceRecord.TokenState,
        voip: VoIPRegistration?,
        createdAt: Timestamp,
        registeredAt: Timestamp
    ) {
        self.number = number
        self.device = device
        self.registration = registration
        self.tags = tags
        self.tokenState = tokenState
        self.voip = voip
        self.createdAt = createdAt
        self.registeredAt = registeredAt
    }
}

/// Reads Devices ordered by number.
package protocol DeviceExportStore: Sendable {
    /// Returns up to `limit` Devices after a number.
    func devices(app: AppID, after: DeviceNumber?, limit: Int) async throws(StoreError) -> [ExportedDevice]

    /// Returns the names of an App's tags by the numbers in their rows.
    func tagNames(app: AppID) async throws(StoreError) -> [Int64: String]
}

/// Exports Devices with their tokens, for another service or a spreadsheet.
package struct DeviceExports: Sendable {
    /// Devices per read, which takes a few milliseconds.
    private static let pageSize = 1_000

    private let store: any DeviceExportStore
    private let apps: Apps
    private let clock: any WallClock

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Reads Devices.
    ///   - apps: The lifetime of an App's tokens.
    ///   - clock: Decides which are expired.
    package init(store: any DeviceExportStore, apps: Apps, clock: any WallClock) {
        self.store = store
        self.apps = apps
        self.clock = clock
    }

    /// Begins an export; campaigns, registrations and imports continue meanwhile.
    ///
    /// Each Device that exists all the time is exported once. A Device whose User changes meanwhile gets a new number
    /// and may be exported again at the end.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - format: The file format.
    ///   - changes: Only Devices that were registered, or that an import brought or changed, in this range; `nil` for all.
    ///     Tags and attributes that a back end changes meanwhile change no Device.
    ///   - cursor: The cursor of the last line of an interrupted export; `nil` for all.
    /// - Returns: A reader of the text, part by part.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/invalid(_:)`` for an invalid
    ///   cursor.
    package func begin(
        app: AppID,
        format: DeviceFileFormat,
        changes: Range<Timestamp>? = nil,
        cursor: String? = nil
    ) async throws(EngineError) -> Reading {
        let facts = try await apps.facts(app)
        var after: DeviceNumber?
        if let cursor {
            guard let number = Int64(cursor), number > 0 else {
                throw .invalid(FieldError(field: "cursor", problem: "must be the cursor of a line of an export"))
            }
            after = DeviceNumber(rawValue: number)
        }
        return Reading(
            store: store,
            app: app,
            format: format,
            changes: changes,
            oldest: facts.oldestRegistration(at: clock.now()),
            after: after
        )
    }

    /// A running export.
    package struct Reading: Sendable {
        private let store: any DeviceExportStore
        private let app: AppID
        private let format: DeviceFileFormat
        private let changes: Range<Timestamp>?
        private let oldest: Timestamp
        private var after: DeviceNumber?
        private var names: [Int64: String] = [:]
        private var isBegun = false
        private var isOver = false

        fileprivate init(
            store: any DeviceExportStore,
            app: AppID,
            format: DeviceFileFormat,
            changes: Range<Timestamp>?,
            oldest: Timestamp,
            after: DeviceNumber?
        ) {
            self.store = store
            self.app = app
            self.format = format
            self.changes = changes
            self.oldest = oldest
            self.after = after
        }

        /// Returns the next part of the text; `nil` at the end.
        ///
        /// - Throws: ``EngineError/store(_:)``; the export can continue from its last line's cursor.
        package mutating func next() async throws(EngineError) -> [UInt8]? {
            guard !isOver else { return nil }
            let (store, app, after) = (store, app, after)
            let page = try await stored(try await store.devices(app: app, after: after, limit: pageSize))
            if page.contains(where: { $0.tags.contains { names[$0] == nil } }) {
                names = try await stored(try await store.tagNames(app: app))
            }
            var text: [UInt8] = []
            if !isBegun, format == .csv { text.append(contentsOf: ExportText.header.utf8) }
            isBegun = true
            isOver = page.count < pageSize
            self.after = page.last?.number ?? after
            for device in page where isWanted(device) { append(device, to: &text) }
            return text
        }

        /// An import may say that a Device was seen last long before it, and what it changes of a known one has a time of
        /// its own.
        private func isWanted(_ device: ExportedDevice) -> Bool {
            guard let changes else { return true }
            return changes.contains(device.registeredAt) || changes.contains(device.createdAt)
                || device.importedAt.map(changes.contains) ?? false
        }

        private func append(_ device: ExportedDevice, to text: inout [UInt8]) {
            var told = device
            if told.tokenState == .active, told.registeredAt < oldest { told.tokenState = .expired }
            let tags = device.tags.compactMap { names[$0] }
            switch format {
            case .csv: text.append(contentsOf: ExportText.csv(told, tags: tags).utf8)
            case .jsonLines: text.append(contentsOf: ExportText.json(told, tags: tags))
            }
        }
    }
}

/// Formats the lines of an export.
private enum ExportText {
    static let header =
        "token,push_type,tenant,user," + DeviceField.facts.map(\.column).joined(separator: ",")
        + ",consent_notifications,consent_ads,consent_night_ads,device,tags,categories,token_state,voip_token,"
        + "voip_push_type,created_at,registered_at,cursor\r\n"

    static func csv(_ device: ExportedDevice, tags: [String]) -> String {
        let registration = device.registration
        var fields: [String?] = [
            registration.token?.hexadecimal, registration.pushType.rawValue, registration.tenant,
            registration.user?.rawValue,
        ]
        fields += DeviceField.facts.map { registration[keyPath: $0.registration] }
        fields += [
            "\(registration.consent.notifications)", "\(registration.consent.ads)",
            "\(registration.consent.nightAds)", device.device.description, tags.joined(separator: " "),
            registration.categories.flatMap { text($0) }, device.tokenState.rawValue, device.voip?.token.hexadecimal,
            device.voip?.pushType.rawValue, device.createdAt.description, device.registeredAt.description,
            "\(device.number.rawValue)",
        ]
        return fields.map { quoted($0 ?? "") }.joined(separator: ",") + "\r\n"
    }

    static func json(_ device: ExportedDevice, tags: [String]) -> [UInt8] {
        var line = DeviceLine(registration: device.registration)
        line.device = device.device
        line.tags = tags
        line.tokenState = device.tokenState
        line.voip = device.voip
        line.createdAt = device.createdAt
        line.registeredAt = device.registeredAt
        line.cursor = "\(device.number.rawValue)"
        // Only strings, numbers and Booleans, which JSON can encode.
        guard let data = try? JSONEncoder.sorted().encode(line) else { return [] }
        return Array(data) + [0x0A]
    }

    private static func text(_ categories: DeviceCategories) -> String? {
        (try? JSONEncoder.sorted().encode(categories)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func quoted(_ text: String) -> String {
        let text = SpreadsheetText.guarded(text)
        guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
