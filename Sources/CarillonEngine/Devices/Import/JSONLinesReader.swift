package import CarillonModel
package import Foundation

/// Reads JSON Lines incrementally: one object per line.
package struct JSONLinesReader {
    /// Maximum bytes of a line.
    package static let maximumLineSize = 65_536

    private var line = 1
    private var bytes: [UInt8] = []
    private var isTooLong = false

    package init() {}

    /// Reads the next bytes of the file.
    ///
    /// - Parameters:
    ///   - part: Any part of it.
    ///   - body: Receives each line's number and bytes; `nil` for one that is too long. Empty lines are skipped.
    package mutating func read(_ part: some Sequence<UInt8>, _ body: (Int, Data?) throws -> Void) rethrows {
        for byte in part {
            if byte == 0x0A {
                try endLine(body)
            } else if bytes.count < Self.maximumLineSize {
                bytes.append(byte)
            } else {
                isTooLong = true
            }
        }
    }

    /// Reads the last line, which may have no line end.
    package mutating func finish(_ body: (Int, Data?) throws -> Void) rethrows {
        try endLine(body)
    }

    private mutating func endLine(_ body: (Int, Data?) throws -> Void) rethrows {
        if bytes.last == 0x0D { bytes.removeLast() }
        // Skips the byte order mark that some programs write before UTF-8.
        if line == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        defer {
            bytes.removeAll(keepingCapacity: true)
            isTooLong = false
            line += 1
        }
        if isTooLong {
            try body(line, nil)
        } else if bytes.contains(where: { $0 != 0x20 && $0 != 0x09 }) {
            try body(line, Data(bytes))
        }
    }
}

/// A line of JSON Lines, the same for exports and imports.
package struct DeviceLine: Codable, Hashable, Sendable {
    package var device: DeviceID?
    /// Missing in a line that has only a User's tags and attributes.
    package var registration: Registration?
    /// The User of such a line.
    package var user: UserID?
    /// Since when the person consents; an import keeps it where the service that it comes from knew it.
    package var consentTimes: ConsentTimes?
    /// When the app was used last, in a line of another service.
    package var lastSeen: Timestamp?
    /// The names of the User's tags.
    package var tags: [String]?
    /// Whether the tags join those that the User has, in the place of replacing them.
    package var addsTags: Bool?
    /// The User's attributes; an import sets these, and removes those that are null.
    package var attributes: [String: JSONValue]?
    package var tokenState: DeviceRecord.TokenState?
    /// The Device's VoIP token.
    package var voip: VoIPRegistration?
    package var createdAt: Timestamp?
    package var registeredAt: Timestamp?
    /// Where an export continues after this line.
    package var cursor: String?

    package init(registration: Registration) { self.registration = registration }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case device, registration, user, consentTimes, lastSeen, tags, addsTags, attributes, tokenState, voip, createdAt
        case registeredAt, cursor
    }

    /// Reads a line strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    package init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        device = try fields.optional(.device)
        user = try fields.optional(.user)
        registration = user == nil ? try fields.required(.registration) : nil
        consentTimes = try fields.optional(.consentTimes)
        lastSeen = try fields.optional(.lastSeen)
        addsTags = try fields.optional(.addsTags)
        tags = try fields.optional(.tags)
        attributes = try fields.optional(.attributes)
        tokenState = try fields.optional(.tokenState)
        voip = try fields.optional(.voip)
        createdAt = try fields.optional(.createdAt)
        registeredAt = try fields.optional(.registeredAt)
        cursor = try fields.optional(.cursor)
    }

    /// Reads a line of a file.
    ///
    /// - Throws: ``ImportColumns/Problem``, which never contains a value.
    static func imported(_ data: Data, line: Int) throws(ImportColumns.Problem) -> ImportedLine {
        let read: DeviceLine
        do {
            read = try JSONDecoder().decode(DeviceLine.self, from: data)
        } catch let error as FieldError {
            throw ImportColumns.Problem(error.field + " " + error.problem)
        } catch let error as DecodingError {
            throw ImportColumns.Problem(
                "has no valid " + (FieldError(error).field.isEmpty ? "JSON" : FieldError(error).field)
            )
        } catch {
            throw ImportColumns.Problem("is not JSON")
        }
        guard let registration = read.registration else { return .user(try read.importedUser(line: line)) }
        return .device(try read.importedDevice(registration, line: line))
    }

    private func importedUser(line: Int) throws(ImportColumns.Problem) -> ImportedUser {
        guard let user else { throw ImportColumns.Problem("registration is required") }
        var attributes: UserAttributes?
        if let given = self.attributes { attributes = try ImportedDevice.checkedAttributes(given) }
        let names = try ImportedDevice.checkedTags(tags ?? [])
        return ImportedUser(line: line, user: user, tagNames: names, attributes: attributes)
    }

    private func importedDevice(
        _ read: Registration,
        line: Int
    ) throws(ImportColumns.Problem) -> ImportedDevice {
        guard let token = read.token else { throw ImportColumns.Problem("registration.token is required") }
        var registration = read
        (registration.userProof, registration.oldToken, registration.badge) = (nil, nil, nil)
        var device = ImportedDevice(line: line, device: self.device, token: token, registration: registration)
        if let tags, !tags.isEmpty { try device.setTags(tags) }
        if let attributes { try device.setAttributes(attributes) }
        device.addsTags = addsTags ?? false
        device.seenAt = lastSeen
        if let consentTimes { device.consentTimes = consentTimes.only(registration.consent) }
        return device
    }
}

extension ConsentTimes {
    /// The times of what is consented to.
    package func only(_ consent: Consent) -> ConsentTimes {
        ConsentTimes(
            notifications: consent.notifications ? notifications : nil,
            ads: consent.ads ? ads : nil,
            nightAds: consent.nightAds ? nightAds : nil
        )
    }
}
