/// The phones behind the device tokens: what each shows, and what waits for those that are offline.
///
/// A phone that a feed follows is online, and offline when the feed has ended. A device token that no feed has ever
/// followed stands for a phone in somebody's hand: online, but all that is kept of its screen is what tells copies
/// apart.
struct Phones: Sendable {
    /// What is known of a notification that was just accepted, beside its request.
    struct Arrival {
        var device: DeviceTable.Index
        var acceptance: Acceptance
        var id: NotificationID
        var at: SimulatedTime
    }

    /// A notification that waits for its phone.
    struct Stored {
        var delivery: Delivery
        var expiration: SimulatedTime
    }

    /// Apple keeps a notification for 30 days at most.
    static let longestStorage = Duration.seconds(30 * 24 * 3600)
    /// How many bytes of payload may wait for phones in all; beyond that nothing more is stored.
    static let storageLimit = 256 << 20

    private(set) var followers: [DeviceTable.Index: FeedID] = [:]
    private var stored: [DeviceTable.Index: Stored] = [:]
    private var storedBytes = 0
    private var screens = Screens()
    private var details: [UInt32: Delivery] = [:]
    private var lastDetails: UInt32 = 0

    /// Takes an accepted notification to its phone's screen, into the store, or nowhere.
    ///
    /// - Returns: What a feed is to be told, if one follows the phone.
    mutating func take(
        _ request: borrowing IncomingRequest,
        _ arrival: Arrival,
        devices: inout DeviceTable,
        counters: inout Counters
    ) -> (feed: FeedID, delivery: Delivery)? {
        let expiration = arrival.acceptance.expiration
        if let expiration, expiration != 0, SimulatedTime(seconds: expiration) <= arrival.at {
            counters.expired += 1
            return nil
        }
        guard devices.isOwned(arrival.device) else {
            show(request, arrival, details: nil, devices: &devices, counters: &counters)
            return nil
        }
        let delivery = Self.delivery(of: request, arrival, token: devices.token(of: arrival.device))
        guard let feed = followers[arrival.device] else {
            store(delivery, for: arrival, counters: &counters)
            return nil
        }
        show(request, arrival, details: delivery, devices: &devices, counters: &counters)
        counters.delivered += 1
        return (feed, delivery)
    }

    /// Switches a phone on: a feed follows it from now on, and another does no more.
    ///
    /// - Returns: The notification that waited, if it is still good.
    mutating func follow(
        _ device: DeviceTable.Index,
        feed: FeedID,
        devices: inout DeviceTable,
        counters: inout Counters,
        now: SimulatedTime
    ) -> Delivery? {
        devices.markOwned(device)
        followers[device] = feed
        guard let waiting = unstore(device) else { return nil }
        guard waiting.expiration > now else {
            counters.expired += 1
            return nil
        }
        var delivery = waiting.delivery
        delivery.at = now
        show(delivery, on: device, devices: &devices, counters: &counters)
        counters.delivered += 1
        return delivery
    }

    /// Switches off all the phones of a feed that has ended.
    mutating func endFeed(_ feed: FeedID) {
        followers = followers.filter { $0.value != feed }
    }

    /// The notifications on a phone's screen, newest first; nil where only its traces were kept.
    func screen(of device: DeviceTable.Index, in devices: borrowing DeviceTable) -> [Delivery?] {
        screens.list(devices[device].screen).map { details[$0.details] }
    }

    func stored(for device: DeviceTable.Index) -> Stored? {
        stored[device]
    }

    mutating func clearScreens() {
        screens = Screens()
        details.removeAll()
        stored.removeAll()
        storedBytes = 0
    }

    // MARK: - The store

    private mutating func store(_ delivery: Delivery, for arrival: Arrival, counters: inout Counters) {
        guard arrival.acceptance.expiration != 0, storedBytes + delivery.payload.count <= Self.storageLimit else {
            counters.notStored += 1
            return
        }
        if unstore(arrival.device) != nil {
            counters.replacedInStore += 1
        }
        let longest = arrival.at.advanced(by: Self.longestStorage)
        let wanted = arrival.acceptance.expiration.map { SimulatedTime(seconds: $0) } ?? longest
        stored[arrival.device] = Stored(delivery: delivery, expiration: min(wanted, longest))
        storedBytes += delivery.payload.count
        counters.stored += 1
    }

    private mutating func unstore(_ device: DeviceTable.Index) -> Stored? {
        guard let waiting = stored.removeValue(forKey: device) else { return nil }
        storedBytes -= waiting.delivery.payload.count
        return waiting
    }

    // MARK: - The screen

    private mutating func show(
        _ request: borrowing IncomingRequest,
        _ arrival: Arrival,
        details: Delivery?,
        devices: inout DeviceTable,
        counters: inout Counters
    ) {
        guard arrival.acceptance.pushType ?? .alert == .alert else { return }
        let summary = PayloadSummary(of: request.body)
        guard summary.hasAlert, summary.isObject else { return }
        let entry = Screens.Entry(
            collapse: Self.hash(request[.apnsCollapseID]),
            occurrence: Self.hash(summary.occurrence.map { request.body[$0] })
        )
        put(entry, details: details, on: arrival.device, devices: &devices, counters: &counters)
    }

    private mutating func show(
        _ delivery: Delivery,
        on device: DeviceTable.Index,
        devices: inout DeviceTable,
        counters: inout Counters
    ) {
        guard delivery.pushType ?? "alert" == "alert" else { return }
        let summary = PayloadSummary(of: delivery.payload)
        guard summary.hasAlert, summary.isObject else { return }
        let entry = Screens.Entry(
            collapse: Self.hash(delivery.collapseID.map { Array($0.utf8)[...] }),
            occurrence: Self.hash(summary.occurrence.map { delivery.payload[$0] })
        )
        put(entry, details: delivery, on: device, devices: &devices, counters: &counters)
    }

    private mutating func put(
        _ entry: Screens.Entry,
        details delivery: Delivery?,
        on device: DeviceTable.Index,
        devices: inout DeviceTable,
        counters: inout Counters
    ) {
        var entry = entry
        if let delivery {
            lastDetails &+= 1
            details[lastDetails] = delivery
            entry.details = lastDetails
        }
        let change = screens.show(entry, on: &devices[device].screen) { details[$0] = nil }
        if change.isSecondCopy, devices.markShownTwice(device) {
            counters.shownTwice += 1
        }
        if change.hasReplacedCopy, devices.markRealerted(device) {
            counters.realerted += 1
        }
    }

    /// Not 0, which stands for no text.
    private static func hash(_ text: ArraySlice<UInt8>?) -> UInt64 {
        guard let text, !text.isEmpty else { return 0 }
        var hasher = Hasher()
        text.withUnsafeBytes { hasher.combine(bytes: $0) }
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    private static func delivery(
        of request: borrowing IncomingRequest,
        _ arrival: Arrival,
        token: ArraySlice<UInt8>
    ) -> Delivery {
        Delivery(
            token: Array(token),
            id: arrival.id.text,
            topic: request.text(.apnsTopic) ?? "",
            pushType: arrival.acceptance.pushType?.rawValue,
            priority: Int(arrival.acceptance.priority),
            collapseID: request.text(.apnsCollapseID),
            payload: request.body,
            at: arrival.at
        )
    }
}
