/// The phones of the device tokens: their screens, and the notifications stored for offline phones.
///
/// A phone is online while a feed follows it, and offline after the feed ended. A device token that no feed has ever
/// followed has an online phone, of whose screen only hashes are stored.
struct Phones: Sendable {
    /// Context of an accepted notification, beside its request.
    struct Arrival {
        var device: DeviceTable.Index
        var acceptance: Acceptance
        var id: NotificationID
        var at: SimulatedTime
    }

    /// A notification that is stored for an offline phone.
    struct Stored {
        var delivery: Delivery
        var expiration: SimulatedTime
    }

    /// Maximum time for which Apple stores a notification.
    static let longestStorage = Duration.seconds(30 * 24 * 3600)
    /// Maximum bytes of stored payloads in all; beyond that nothing more is stored.
    static let storageLimit = 256 << 20

    private(set) var followers: [DeviceTable.Index: FeedID] = [:]
    private var stored: [DeviceTable.Index: Stored] = [:]
    private var storedBytes = 0
    private var screens = Screens()
    private var details: [UInt32: Delivery] = [:]
    private var lastDetails: UInt32 = 0

    /// Shows an accepted notification on its phone's screen, stores it, or drops it.
    ///
    /// - Returns: The delivery for the feed that follows the phone, if any.
    mutating func receive(
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

    /// Makes a phone online: a feed follows it from now on instead of another.
    ///
    /// - Returns: The stored notification, if it has not expired.
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

    /// Makes all phones of an ended feed offline.
    mutating func endFeed(_ feed: FeedID) {
        followers = followers.filter { $0.value != feed }
    }

    /// The notifications on a phone's screen, newest first; nil where only hashes are stored.
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

    /// Never 0, which means no text.
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
