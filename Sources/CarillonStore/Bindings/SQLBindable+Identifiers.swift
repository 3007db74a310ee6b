package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL
package import StoreErrors

extension AppID: SQLBindable, SQLReadable {}
extension CampaignID: SQLBindable, SQLReadable {}
extension OccurrenceID: SQLBindable, SQLReadable {}
extension APIKeyID: SQLBindable, SQLReadable {}
extension OperatorID: SQLBindable, SQLReadable {}
extension NodeID: SQLBindable, SQLReadable {}
extension OperatorSessionID: SQLBindable, SQLReadable {}
extension OperatorPasskeyID: SQLBindable, SQLReadable {}
extension OperatorIdentityID: SQLBindable, SQLReadable {}
extension DeviceNumber: SQLBindable, SQLReadable {}
extension Timestamp: SQLBindable, SQLReadable {}
extension UserID: SQLBindable, SQLReadable {}
extension TagID: SQLBindable, SQLReadable {}
extension TemplateID: SQLBindable, SQLReadable {}
extension App.AdRule: SQLBindable, SQLReadable {}
extension App.Dialect: SQLBindable, SQLReadable {}
extension App.Identity: SQLBindable, SQLReadable {}
extension App.TokensPerUser: SQLBindable, SQLReadable {}
extension AdWording.Position: SQLBindable, SQLReadable {}
extension Campaign.State: SQLBindable, SQLReadable {}

/// A Device's public id is kept as the UUID's 16 bytes.
extension DeviceID: SQLBindable, SQLReadable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        withBytes { statement.bind($0, at: index) }
    }

    package static func read(_ row: any SQLStatement, at column: Int) throws(StoreError) -> DeviceID {
        guard let device = DeviceID(bytes: row.bytes(column)) else {
            throw .failed("Column \(column) of a row holds \(row.bytes(column).count) bytes; a Device's id has 16.")
        }
        return device
    }
}

extension DeviceToken: SQLBindable, SQLReadable {
    package func bind(to statement: any SQLStatement, at index: Int) { bytes.bind(to: statement, at: index) }

    package static func read(_ row: any SQLStatement, at column: Int) throws(StoreError) -> DeviceToken {
        guard let token = DeviceToken(bytes: row.bytes(column)) else {
            throw .failed(
                "Column \(column) of a row holds \(row.bytes(column).count) bytes, which are no device token."
            )
        }
        return token
    }
}

extension ConsentBits: SQLBindable, SQLReadable {
    package func bind(to statement: any SQLStatement, at index: Int) { statement.bind(Int64(rawValue), at: index) }

    package static func read(_ row: any SQLStatement, at column: Int) -> ConsentBits {
        ConsentBits(rawValue: UInt8(truncatingIfNeeded: row.int64(column)))
    }
}

/// Consents are stored as the bits of ``ConsentBits``.
extension Consent: SQLBindable, SQLReadable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        ConsentBits(self).bind(to: statement, at: index)
    }

    package static func read(_ row: any SQLStatement, at column: Int) -> Consent {
        let bits = ConsentBits.read(row, at: column)
        return Consent(
            notifications: bits.contains(.notifications),
            ads: bits.contains(.ads),
            nightAds: bits.contains(.nightAds)
        )
    }
}
