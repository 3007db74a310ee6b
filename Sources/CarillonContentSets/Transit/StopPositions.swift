/// Where the stops and sequence numbers of a pattern are.
struct StopPositions {
    private var byStop: [String: [Int]] = [:]
    /// `nil` when sequence numbers count from 1.
    private var bySequence: [Int: Int]?
    private let count: Int

    init(_ pattern: TransitTimetable.Pattern) {
        count = pattern.stops.count
        for (index, stop) in pattern.stops.enumerated() { byStop[stop, default: []].append(index) }
        guard !pattern.sequences.isEmpty else { return }
        bySequence = Dictionary(zip(pattern.sequences, pattern.sequences.indices)) { first, _ in first }
    }

    func position(ofSequence sequence: Int) -> Int? {
        if let bySequence { return bySequence[sequence] }
        return (0..<count).contains(sequence - 1) ? sequence - 1 : nil
    }

    /// The first position of a stop that is not before another one.
    func position(of stop: String, from start: Int) -> Int? {
        guard let all = byStop[stop] else { return nil }
        let index = all.partitionIndex(before: { $0 < start })
        return index < all.count ? all[index] : nil
    }
}

extension [Int] {
    /// The first index of an ordered array whose element is not before a place; the count when all are.
    func partitionIndex(before isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
