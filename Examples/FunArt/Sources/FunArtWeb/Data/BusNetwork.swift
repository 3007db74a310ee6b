import Foundation

/// A made-up network of city buses: pairs of stops at the crossings of a grid, and routes that wander over it.
struct BusNetwork: Sendable {
    /// A crossing, with a stop on each side of the road.
    struct Crossing: Sendable {
        var name: String
        var latitude: Double
        var longitude: Double
    }

    struct Route: Sendable {
        var id: String
        var name: String
        /// Positions in ``BusNetwork/crossings``.
        var crossings: [Int]
        /// Seconds from a stop to the next one.
        var steps: [Int]
        /// Seconds between two departures.
        var headway: Int

        /// Seconds from the first stop to the last one.
        var length: Int { steps.reduce(0, +) }
        var tripCount: Int { 86_400 / headway }
        /// Seconds after midnight.
        func start(ofTrip trip: Int) -> Int { trip * headway + headway / 3 }
        /// Seconds from the start to each stop of a direction.
        func times(isInbound: Bool) -> [Int] {
            var time = 0
            return [0]
                + (isInbound ? steps.reversed() : steps).map { step in
                    time += step
                    return time
                }
        }
    }

    let crossings: [Crossing]
    let routes: [Route]
    private let columns: Int

    private static let southWest = (latitude: 22.5800, longitude: 120.2700)
    private static let northEast = (latitude: 22.7000, longitude: 120.3600)

    /// Creates a network.
    ///
    /// - Parameters:
    ///   - stopCount: How many stops; two at each crossing.
    ///   - routeCount: How many routes.
    init(stopCount: Int, routeCount: Int) {
        let count = max(4, stopCount / 2)
        columns = max(2, Int((Double(count) * 0.75).squareRoot().rounded()))
        let rows = (count + columns - 1) / columns
        var random = SampleRandom(seed: 800)
        var crossings: [Crossing] = []
        for number in 0..<count {
            let (row, column) = (number / columns, number % columns)
            let shares = [
                (Double(row) + Double.random(in: 0.3...0.7, using: &random)) / Double(rows),
                (Double(column) + Double.random(in: 0.3...0.7, using: &random)) / Double(columns),
            ]
            crossings.append(
                Crossing(
                    name: Self.name(row, column),
                    latitude: Self.between(Self.southWest.latitude, Self.northEast.latitude, shares[0]),
                    longitude: Self.between(Self.southWest.longitude, Self.northEast.longitude, shares[1])
                )
            )
        }
        self.crossings = crossings
        let columns = columns
        var visits = [Int](repeating: 0, count: count)
        routes = (0..<routeCount).map { number in
            let walk = Self.walk(over: count, columns, &visits, &random)
            let steps = (1..<walk.count).map { _ in Int.random(in: 80...150, using: &random) }
            let name = ["紅", "橘", "綠", "黃"][number % 4] + String(number / 4 + 1)
            let headway = [1_800, 2_700, 3_600, 3_600][number % 4]
            return Route(id: "R\(101 + number)", name: name, crossings: walk, steps: steps, headway: headway)
        }
    }

    /// The id of a crossing's stop.
    ///
    /// - Parameters:
    ///   - crossing: The crossing.
    ///   - isInbound: Whether it is on the other side of the road.
    /// - Returns: The id.
    func stop(_ crossing: Int, isInbound: Bool) -> String { String(10_000 + 2 * crossing + (isInbound ? 1 : 0)) }

    /// The stops of a route, in order.
    func stops(of route: Route, isInbound: Bool) -> [String] {
        (isInbound ? route.crossings.reversed() : route.crossings).map { stop($0, isInbound: isInbound) }
    }

    /// The name of a route's two ends.
    func ends(of route: Route) -> String {
        let names = [route.crossings.first, route.crossings.last].compactMap { $0 }.map { crossings[$0].name }
        return names.joined(separator: "－")
    }

    /// The id of a trip.
    static func trip(_ route: Route, isInbound: Bool, _ number: Int) -> String {
        "\(route.id)-\(isInbound ? "b" : "a")-\(number)"
    }

    // MARK: - Private

    private static func between(_ low: Double, _ high: Double, _ share: Double) -> Double {
        ((low + (high - low) * share) * 1_000_000).rounded() / 1_000_000
    }

    private static func name(_ row: Int, _ column: Int) -> String {
        let along = ["一心", "二聖", "三多", "四維", "五福", "六合", "七賢", "八德", "九如", "十全"]
        let across = ["青年", "中山", "民權", "文橫", "和平", "民族", "自強", "成功", "英雄", "光華"]
        let (first, second) = (along[row % along.count], across[column % across.count])
        let place = row / along.count * 10 + column / across.count
        return first + second + (place == 0 ? "" : String(place)) + "路口"
    }

    /// Wanders straight on for the most part, from a crossing that few routes visit.
    private static func walk(
        over count: Int,
        _ columns: Int,
        _ visits: inout [Int],
        _ random: inout SampleRandom
    ) -> [Int] {
        var place = visits.indices.min { visits[$0] < visits[$1] } ?? 0
        var walk = [place]
        visits[place] += 1
        var direction = random.pick([1, -1, columns, -columns])
        while walk.count < 20 {
            if random.chance(25) { direction = random.pick([1, -1, columns, -columns]) }
            let turns = [direction, columns, 1, -columns, -1]
            let next = turns.first { turn in
                let target = place + turn
                let isOverEdge = abs(turn) == 1 && target / columns != place / columns
                return (0..<count).contains(target) && !isOverEdge && !walk.contains(target)
            }
            guard let next else { break }
            direction = next
            place += next
            walk.append(place)
            visits[place] += 1
        }
        return walk
    }
}
