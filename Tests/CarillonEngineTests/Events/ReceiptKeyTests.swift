import CarillonEngine
import CarillonModel
import Testing

@Suite struct ReceiptKeyTests {
    private let occurrence = OccurrenceID(rawValue: 0x0123_4567_89AB_CDEF)
    private let device = DeviceNumber(rawValue: 0x1_2233_4455_6677)

    @Test("A receipt is the number and 80 bits of HMAC-SHA256") func receiptFormat() throws {
        // Computed with Python: hmac.new(bytes(range(32)), occurrence + device, "sha256").
        let key = try #require(ReceiptKey(Array(0..<32)))

        #expect(key.receipt(occurrence: occurrence, device: device).rawValue == "AAEiM0RVZnccd8_U5xBLWOa5")
    }

    @Test("A receipt names its Device only with its Occurrence and key") func namesItsDevice() throws {
        let key = try #require(ReceiptKey(Array(0..<32)))
        let other = try #require(ReceiptKey(Array(1..<33)))
        let receipt = key.receipt(occurrence: occurrence, device: device)

        #expect(key.device(of: receipt, occurrence: occurrence) == device)
        #expect(key.device(of: receipt, occurrence: OccurrenceID(rawValue: 1)) == nil)
        #expect(other.device(of: receipt, occurrence: occurrence) == nil)
    }

    @Test("A receipt with any character changed is invalid") func refusesChangedReceipts() throws {
        let key = try #require(ReceiptKey(Array(0..<32)))
        let characters = Array(key.receipt(occurrence: occurrence, device: device).rawValue.utf8)

        for index in characters.indices {
            var forged = characters
            forged[index] = forged[index] == 0x41 ? 0x42 : 0x41
            let receipt = try #require(Receipt(rawValue: String(decoding: forged, as: UTF8.self)))
            #expect(key.device(of: receipt, occurrence: occurrence) == nil)
        }
    }

    @Test("Every number is decoded from its receipt", arguments: [1, 2, 255, 256, 1 << 40, 1 << 52, .max] as [Int64])
    func decodesNumbers(_ number: Int64) throws {
        let key = try #require(ReceiptKey(Array(repeating: 3, count: 32)))
        let device = DeviceNumber(rawValue: number)

        #expect(key.device(of: key.receipt(occurrence: occurrence, device: device), occurrence: occurrence) == device)
    }

    @Test("A key has 32 bytes") func keySize() {
        #expect(ReceiptKey(Array(0..<31)) == nil)
        #expect(ReceiptKey([]) == nil)
    }
}
