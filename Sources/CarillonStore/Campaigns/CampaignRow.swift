import CarillonEngine
import CarillonModel
package import CarillonOperatorModel
import CarillonSQL
import Foundation

/// A row of `campaigns`.
enum CampaignRow {
    /// Reads a Campaign from the columns in the order in which every query here names them.
    static func read(_ row: any SQLStatement) throws(StoreError) -> Campaign {
        guard let state = Campaign.State(rawValue: row.string(3)) else {
            throw .failed("A campaign's state is not known.")
        }
        var request = CampaignRequest(
            app: AppID(rawValue: row.int64(0)),
            audience: try decode(row.bytes(5)),
            message: try decode(row.bytes(6))
        )
        request.name = row.optionalString(2)
        request.isAd = row.bool(7)
        request.channel = try .stored(row.int64(13))
        request.statisticsID = row.optionalInt64(14).map(StatisticsID.init(rawValue:))
        if !row.isNull(19) {
            let content: StoredContent = try decode(row.bytes(19))
            content.complete(&request)
        }
        request.sendAt = row.optionalInt64(8).map(Timestamp.init(rawValue:))
        var campaign = Campaign(
            id: CampaignID(rawValue: row.int64(1)),
            app: AppID(rawValue: row.int64(0)),
            request: request,
            state: state,
            createdAt: Timestamp(rawValue: row.int64(9))
        )
        campaign.alarm = row.optionalString(4)
        campaign.occurrence = row.optionalInt64(10).map(OccurrenceID.init(rawValue:))
        campaign.startedAt = row.optionalInt64(11).map(Timestamp.init(rawValue:))
        campaign.finishedAt = row.optionalInt64(12).map(Timestamp.init(rawValue:))
        if !row.isNull(15) { (try decode(row.bytes(15)) as CampaignTiming).apply(to: &campaign) }
        campaign.nextAt = row.optionalInt64(16).map(Timestamp.init(rawValue:))
        campaign.updatedAt = row.optionalInt64(17).map(Timestamp.init(rawValue:))
        campaign.reachedNobody = row.bool(18)
        return campaign
    }

    static func encode(_ value: some Encodable) throws(StoreError) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        } catch {
            throw .failed("A campaign cannot be written as JSON.")
        }
    }

    static func decode<Value: Decodable>(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw .failed("A campaign's JSON cannot be read.")
        }
    }
}

extension Campaign.Channel: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .notification: 1
        case .voip: 2
        }
    }

    package init?(code: Int64) {
        switch code {
        case 1: self = .notification
        case 2: self = .voip
        default: return nil
        }
    }

    static func stored(_ code: Int64) throws(StoreError) -> Campaign.Channel {
        guard let channel = Campaign.Channel(code: code) else { throw .failed("A campaign's channel is not known.") }
        return channel
    }
}

extension App.Dialect {
    static func stored(_ word: String) throws(StoreError) -> App.Dialect {
        guard let dialect = App.Dialect(rawValue: word) else { throw .failed("An App's dialect is not known.") }
        return dialect
    }
}

extension App.AdRule {
    static func stored(_ word: String) throws(StoreError) -> App.AdRule {
        guard let rule = App.AdRule(rawValue: word) else { throw .failed("An App's rule for ads is not known.") }
        return rule
    }
}
