import ApplePush
import ApplePushConnection
import CarillonBytes
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import ApplePushSender

@Suite struct PushBatchTests {
    @Test("P-16 an apns-id is the same for every attempt and differs by Device and Occurrence")
    func idsAreStable() {
        let occurrences = [OccurrenceID(rawValue: 1), OccurrenceID(rawValue: 1 << 59 | 0xFFF)]
        let ids = occurrences.flatMap { occurrence in (1...100).map { UUID(occurrence, DeviceNumber(rawValue: $0)) } }

        #expect(Set(ids).count == 200)
        #expect(ids[0] == UUID(occurrences[0], DeviceNumber(rawValue: 1)))
        #expect(ids.allSatisfy { $0.uuid.6 >> 4 == 8 && $0.uuid.8 >> 6 == 2 })
    }

    @Test("P-17 priority and expiration are Apple's numbers, and one attempt differs from no expiration")
    func translatesOptions() throws {
        let now = DeliveryOptions(purpose: .alert, priority: .high, expiration: .immediately, collapseID: "c")
        let unset = DeliveryOptions(purpose: .background, priority: .normal, expiration: .unset, collapseID: nil)
        let at = DeliveryOptions(
            purpose: .alert,
            priority: .low,
            expiration: .at(Timestamp(rawValue: 1_800_000_000_999)),
            collapseID: nil
        )

        #expect(try fields(now)["apns-priority"] == "10")
        #expect(try fields(now)["apns-expiration"] == "0")
        #expect(try fields(now)["apns-collapse-id"] == "c")
        #expect(try fields(unset)["apns-priority"] == "5")
        #expect(try fields(unset)["apns-push-type"] == "background")
        #expect(try fields(unset)["apns-expiration"] == nil)
        #expect(try fields(at)["apns-expiration"] == "1800000000")
        #expect(try fields(at)["apns-priority"] == "1")
    }

    @Test("A call has its own topic and push type") func rendersCalls() throws {
        let call = DeliveryOptions(purpose: .call, priority: .high, expiration: .immediately, collapseID: nil)

        #expect(
            try fields(call) == [
                "apns-topic": "com.example.app.voip", "apns-push-type": "voip", "apns-priority": "10",
                "apns-expiration": "0",
            ]
        )
    }

    @Test("Picked notifications keep their columns") func picksColumns() throws {
        var batch = NotificationBatch(
            app: AppID(rawValue: 1),
            occurrence: OccurrenceID(rawValue: 2),
            pushType: .apns,
            options: DeliveryOptions(purpose: .alert, priority: .high, expiration: .unset, collapseID: nil),
            rendering: Rendering(bytes: Array("\"\(String(repeating: "0", count: 24))\"".utf8), receiptOffset: 1)
        )
        for number in 1...3 {
            batch.devices.append(DeviceNumber(rawValue: Int64(number)))
            batch.tokens.append([UInt8](repeating: UInt8(number), count: 8 * number))
            batch.receipts += [UInt8](repeating: 0x40 + UInt8(number), count: 24)
        }
        let push = try #require(PushBatch(batch, topic: "com.example.app"))

        let picked = try #require(push.picking([0, 2]))

        #expect(picked.ids == [push.ids[0], push.ids[2]])
        let tokens = [[UInt8](repeating: 1, count: 8), [UInt8](repeating: 3, count: 24)]
        #expect(picked.tokens == ByteColumn(tokens))
        #expect(picked.slots == [UInt8](repeating: 0x41, count: 24) + [UInt8](repeating: 0x43, count: 24))
    }

    @Test("C-48 a payload without a receipt is sent to all unchanged, and notifications can be picked from it")
    func bare() throws {
        let bytes = Array(#"{"aps":{"alert":"x"}}"#.utf8)
        var batch = NotificationBatch(
            app: AppID(rawValue: 1),
            occurrence: OccurrenceID(rawValue: 2),
            pushType: .apns,
            options: DeliveryOptions(purpose: .alert, priority: .high, expiration: .unset, collapseID: nil),
            rendering: Rendering(bytes: bytes, receiptOffset: Rendering.noReceipt)
        )
        for number in 1...2 {
            batch.devices.append(DeviceNumber(rawValue: Int64(number)))
            batch.tokens.append([UInt8](repeating: UInt8(number), count: 32))
            batch.receipts += [UInt8](repeating: 0x41, count: 24)
        }
        let push = try #require(PushBatch(batch, topic: "com.example.app"))

        #expect(push.payload.bytes == bytes && push.payload.slot == nil && push.slots.isEmpty)
        let picked = try #require(push.picking([1]))
        #expect(picked.payload.bytes == bytes && picked.ids == [push.ids[1]])
    }

    private func fields(_ options: DeliveryOptions) throws -> [String: String] {
        let headers = try #require(RequestHeaders(options, bundleID: "com.example.app"))
        return Dictionary(uniqueKeysWithValues: headers.fields.map { ($0.name, $0.value) })
    }
}
