import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The columns of `campaigns` that a Campaign is read from.
enum CampaignColumn: Int, SQLColumn {
    case appID, id, name, state, alarm, audience, message, isAd, sendAt, createdAt, occurrenceID, startedAt, finishedAt
    case channel, statisticsID, timing, nextAt, updatedAt, reachedNobody, content, retryFor, version, guards
}

/// The columns of `campaigns` that are written with a new Campaign, first those that a change replaces.
enum WrittenCampaignColumn: Int, SQLColumn {
    case name, audience, message, isAd, sendAt, acceptedAt, updatedAt, inbox, namesPeople, content, channel, retryFor
    case version, guards
    case appID, id, state, isTest, createdAt, timing, kind
}

extension Campaign {
    init(row: SQLRow<CampaignColumn>) throws { try self.init(row: row, audience: try row.json(.audience)) }

    /// Reads a Campaign whose audience is known: decoding one of 10,000 ids takes a transaction's whole time.
    init(row: SQLRow<CampaignColumn>, audience: Audience) throws {
        var request = CampaignRequest(audience: audience, message: try row.json(.message))
        request.name = try row[.name]
        request.isAd = try row[.isAd]
        request.channel = try row[.channel]
        request.statisticsID = try row[.statisticsID]
        request.sendAt = try row[.sendAt]
        let content: StoredContent? = try row.optionalJSON(.content)
        content?.complete(&request)
        self.init(
            id: try row[.id],
            app: try row[.appID],
            request: request,
            state: try row[.state],
            createdAt: try row[.createdAt]
        )
        alarm = try row[.alarm]
        occurrence = try row[.occurrenceID]
        startedAt = try row[.startedAt]
        finishedAt = try row[.finishedAt]
        let timing: CampaignTiming? = try row.optionalJSON(.timing)
        timing?.apply(to: &self)
        // In such a state it is when the state ends.
        let time: Timestamp? = try row[.nextAt]
        nextAt = state.isTimed ? nil : time
        heldUntil = state == .held ? time : nil
        let retryTime: Int64 = try row[.retryFor]
        retryFor = Int(retryTime / 1_000)
        version = try row[.version]
        let guards: CampaignGuards? = try row.optionalJSON(.guards)
        guards?.apply(to: &self)
        updatedAt = try row[.updatedAt]
        reachedNobody = try row[.reachedNobody]
    }

    /// The columns of JSON that a change replaces.
    ///
    /// An audience can be 10,000 ids long: encoding it under a lock, or on SQLite's one writer, would make others wait.
    func encoded() throws(StoreError) -> EncodedCampaign {
        EncodedCampaign(
            audience: try JSONColumn(audience),
            message: try JSONColumn(message),
            content: try StoredContent(self).map { content throws(StoreError) in try JSONColumn(content) }
        )
    }

    /// Binds what a change replaces, and the App and the id.
    func bind(
        to row: SQLParameters<WrittenCampaignColumn>,
        _ json: EncodedCampaign,
        acceptedAt: Timestamp,
        updatedAt: Timestamp?,
        inbox: InboxPlacement
    ) throws {
        row.bind(name, to: .name)
        row.bind(json.audience, to: .audience)
        row.bind(json.message, to: .message)
        row.bind(isAd, to: .isAd)
        row.bind(sendAt, to: .sendAt)
        row.bind(acceptedAt, to: .acceptedAt)
        row.bind(updatedAt, to: .updatedAt)
        row.bind(inbox.rawValue, to: .inbox)
        row.bind(audience.namesPeople, to: .namesPeople)
        row.bind(json.content, to: .content)
        row.bind(channel, to: .channel)
        row.bind(retryFor * 1_000, to: .retryFor)
        row.bind(version, to: .version)
        row.bind(app, to: .appID)
        row.bind(id, to: .id)
    }
}

extension CampaignGuards {
    /// The column's value; `nil` when nothing is known.
    var text: String? {
        get throws(StoreError) { isEmpty ? nil : try JSONColumn(self).text }
    }
}

/// The columns of a Campaign that are JSON.
struct EncodedCampaign: Sendable {
    var audience: JSONColumn<Audience>
    var message: JSONColumn<Message>
    var content: JSONColumn<StoredContent>?
}

extension NewCampaign {
    func bind(to row: SQLParameters<WrittenCampaignColumn>, _ json: EncodedCampaign) throws {
        try campaign.bind(to: row, json, acceptedAt: campaign.createdAt, updatedAt: nil, inbox: inbox)
        row.bind(campaign.state, to: .state)
        row.bind(isTest, to: .isTest)
        // Tests have retry times below a second.
        row.bind(retryFor.milliseconds, to: .retryFor)
        row.bind(try guards.text, to: .guards)
        row.bind(campaign.createdAt, to: .createdAt)
        row.bind(try CampaignTiming(campaign).text, to: .timing)
        row.bind(kind.rawValue, to: .kind)
    }
}
