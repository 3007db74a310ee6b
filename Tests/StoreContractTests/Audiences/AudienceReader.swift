import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

extension DeliveryRepository {
    /// Reads all Devices of an Audience, Chunk by Chunk, and counts the reads.
    func readAll(
        _ audience: Audience,
        last: Int,
        limit: Int = 1_000,
        channel: Campaign.Channel = .notification
    ) async throws -> (numbers: [Int64], reads: Int) {
        let facts = OccurrenceFacts(
            app: AudiencePopulation.app,
            campaign: CampaignID(rawValue: 1),
            occurrence: OccurrenceID(rawValue: 1),
            audience: audience,
            message: Message(content: [Message.defaultLanguage: LocalizedContent(body: "b")]),
            isAd: false,
            channel: channel,
            startedAt: Timestamp(rawValue: AudiencePopulation.now),
            retryUntil: Timestamp(rawValue: .max)
        )
        var wave = OpenWave(
            app: facts.app,
            campaign: facts.campaign,
            occurrence: facts.occurrence,
            wave: 1,
            dueAt: Timestamp(rawValue: 0),
            cursor: DeviceNumber(rawValue: 0),
            lastDevice: DeviceNumber(rawValue: Int64(last)),
            isRead: false,
            isCancelling: false,
            nextRetry: nil
        )
        var (numbers, reads) = ([Int64](), 0)
        while true {
            let reading = try await read(wave, of: facts, limit: limit)
            reads += 1
            numbers += reading.recipients.numbers.map(\.rawValue)
            guard case .devices(_, wave.cursor, let through) = reading.range, !reading.isLast else {
                return (numbers, reads)
            }
            #expect(through > wave.cursor)
            wave.cursor = through
        }
    }
}
