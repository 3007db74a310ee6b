import CarillonEngine
import CarillonModel
import Testing

struct SlotSharesTests {
    private let apps = (1...3).map { AppID(rawValue: $0) }

    private func take(_ shares: inout SlotShares, _ app: AppID, devices: Int) {
        shares.acquire(for: app)
        shares.load(devices, for: app)
    }

    @Test("An App without a Chunk has room, also when another App uses the extra room of slow answers")
    func leavesRoom() {
        var shares = SlotShares(.init(chunks: 4, smallChunks: 256, chunkSize: 5_000, loads: 3))
        shares.extraDevices = 24_000
        while shares.hasRoom(for: apps[0]) { take(&shares, apps[0], devices: 5_000) }
        // Its answers fill the window, so no room is left.
        shares.extraDevices = 0

        #expect(shares.hasRoom)
        #expect(!shares.hasRoom(for: apps[0]))
        #expect(shares.hasRoom(for: apps[1]))
        take(&shares, apps[1], devices: 5_000)
        #expect(!shares.hasRoom(for: apps[2]), "one more than full, whoever has it")
    }
}
