import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

struct VariantSplitTests {
    private func shares(_ split: VariantSplit, _ devices: Range<Int64>) -> [VariantSplit.Share: Int] {
        devices.reduce(into: [:]) { $0[split.share(of: DeviceNumber(rawValue: $1)), default: 0] += 1 }
    }

    /// Five standard deviations of a binomial count.
    private func tolerance(_ count: Int, _ share: Double) -> Double {
        5 * (Double(count) * share * (1 - share)).squareRoot()
    }

    @Test(
        "K-59 every share matches its weight and all of them are the whole, in any Campaign and any run of Devices",
        arguments: [
            ([1, 1], 0), ([1, 3], 10), ([5, 3, 2], 33), ([1000, 1], 0), ([1, 1, 1, 1, 1, 1, 1, 1], 90), ([], 25),
        ]
    )
    func distribution(_ weights: [Int], _ holdout: Int) throws {
        let count = 40_000
        for campaign in [1, 2, 1 << 40, 577_021_233_001_235_456] as [Int64] {
            let split = try #require(
                VariantSplit(CampaignID(rawValue: campaign), weights: weights, holdout: holdout)
            )
            for first in [1, 5_000_001, 1 << 33] as [Int64] {
                let shares = shares(split, first..<first + Int64(count))
                let held = Double(holdout) / 100
                #expect(abs(Double(shares[.heldOut] ?? 0) - held * Double(count)) <= tolerance(count, held))
                let total = Double(max(1, weights.reduce(0, +)))
                for (place, weight) in (weights.isEmpty ? [1] : weights).enumerated() {
                    let share = (1 - held) * Double(weight) / total
                    let found = Double(shares[.variant(place)] ?? 0)
                    #expect(abs(found - share * Double(count)) <= tolerance(count, share))
                }
            }
        }
    }

    @Test("K-59 a Device keeps its variant on every node; another Campaign assigns variants independently")
    func stability() throws {
        let one = try #require(VariantSplit(CampaignID(rawValue: 7), weights: [1, 1], holdout: 20))
        let same = try #require(VariantSplit(CampaignID(rawValue: 7), weights: [1, 1], holdout: 20))
        let other = try #require(VariantSplit(CampaignID(rawValue: 8), weights: [1, 1], holdout: 20))
        let devices = (1...10_000).map { DeviceNumber(rawValue: $0) }

        #expect(devices.allSatisfy { one.share(of: $0) == same.share(of: $0) })
        // Independent splits agree on 0.2² + 2 · 0.4² of the Devices.
        let agreements = devices.filter { one.share(of: $0) == other.share(of: $0) }.count
        #expect(abs(Double(agreements) - 3_600) <= tolerance(10_000, 0.36))
    }

    @Test("The holdout does not depend on the weights, and assignments equal those of other releases")
    func pins() throws {
        let one = try #require(VariantSplit(CampaignID(rawValue: 7), weights: [1, 1], holdout: 20))
        let other = try #require(VariantSplit(CampaignID(rawValue: 7), weights: [9, 1, 4], holdout: 20))
        let held = { (split: VariantSplit) in
            (1...2_000).filter { split.share(of: DeviceNumber(rawValue: $0)) == .heldOut }
        }

        #expect(held(one) == held(other))
        let pinned = (Int64(1)...12).map { number -> Int in
            switch one.share(of: DeviceNumber(rawValue: number)) {
            case .heldOut: 0
            case .variant(let place): place + 1
            }
        }
        #expect(pinned == Self.pinned)
    }

    /// A Campaign that is being sent while the server is updated must keep its split.
    private static let pinned = [2, 0, 1, 2, 1, 2, 2, 0, 2, 1, 1, 2]

    @Test("Without variants and holdout there is no split") func needsNoSplit() {
        #expect(VariantSplit(CampaignID(rawValue: 7), weights: [], holdout: 0) == nil)
        #expect(VariantSplit(CampaignID(rawValue: 7), weights: [5], holdout: 0) == nil)
        #expect(VariantSplit(CampaignID(rawValue: 7), weights: [5], holdout: 1) != nil)
    }
}
