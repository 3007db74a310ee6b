package import CarillonModel
package import CarillonOperatorModel

/// Phones of the team, which get test messages: never an Audience.
package struct TestDevices: Sendable {
    private let store: any TestDeviceStore
    private let campaigns: Campaigns
    private let clock: any WallClock
    private let digits: @Sendable () -> String

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores test Devices and codes.
    ///   - campaigns: Sends the messages.
    ///   - clock: The wall clock.
    ///   - digits: Makes the digits of a code.
    package init(
        store: any TestDeviceStore,
        campaigns: Campaigns,
        clock: any WallClock,
        digits: @escaping @Sendable () -> String = { TestDevices.randomDigits() }
    ) {
        self.store = store
        self.campaigns = campaigns
        self.clock = clock
        self.digits = digits
    }

    /// Returns an App's test Devices.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - cursor: The cursor of the page before; `nil` for the first.
    ///   - limit: 1 through 200; other values are clamped.
    /// - Returns: The page; empty when there is no such App.
    /// - Throws: ``EngineError/invalid(_:)`` for an invalid cursor.
    package func list(app: AppID, cursor: String? = nil, limit: Int) async throws(EngineError) -> Page<TestDevice> {
        let after = try DeviceNumber.position(of: cursor)
        let limit = min(max(1, limit), TestDevice.maximumCount)
        let found = try await stored(try await store.testDevices(of: app, after: after, limit: limit + 1))
        let page = found.prefix(limit)
        return Page(
            items: page.map(\.device),
            nextCursor: found.count > limit ? page.last?.number.cursor : nil
        )
    }

    /// Makes a Device a test Device, or renames one.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such Device, ``EngineError/conflict(_:)`` when it has
    ///   the maximum number of test Devices.
    package func add(_ request: TestDeviceRequest, app: AppID) async throws(EngineError) -> TestDevice {
        try await stored(try await store.add(request, app: app, at: clock.now())).get()
    }

    /// Makes a test Device an ordinary one.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when it is none.
    package func remove(_ device: DeviceID, app: AppID) async throws(EngineError) {
        let wasThere = try await stored(try await store.remove(device, app: app))
        guard wasThere else { throw .notFound(.testDevice) }
    }

    /// Makes a code, which the app sends with ``pair(_:_:)``.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func makePairing(_ request: TestPairingRequest, app: AppID) async throws(EngineError) -> TestPairing {
        let now = clock.now()
        let pairing = TestPairing(code: digits(), expiresAt: now.advanced(by: TestPairing.lifetime))
        let new = NewTestPairing(
            app: app,
            code: Self.hash(pairing.code, app),
            request: request,
            expiresAt: pairing.expiresAt
        )
        guard try await stored(try await store.insert(new, at: now)) else { throw .notFound(.app) }
        return pairing
    }

    /// Makes the Device that sends a code a test Device; the code is used up.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, also when the code is wrong, used, over, or gone since too many wrong ones
    ///   were sent; ``EngineError/refused(_:)`` when the secret is not the Device's.
    package func pair(_ caller: DeviceCaller, _ claim: TestPairingClaim) async throws(EngineError) -> TestDevice {
        let code = Self.hash(claim.digits, caller.app)
        return try await stored(try await store.pair(caller, code: code, at: clock.now())).get()
    }

    /// Sends a message to test Devices, at once.
    ///
    /// Ad and night rules, quiet hours and frequency caps do not apply; nothing of it is in statistics.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` for a Device that is none of the App's test Devices, and as
    ///   ``Campaigns/create(app:_:for:)``; ``EngineError/conflict(_:)`` when they got as many messages within an hour as
    ///   they may.
    package func send(
        app: AppID,
        _ request: TestDevicesSend,
        for repeatable: IdempotentRequest<Campaign>? = nil
    ) async throws(EngineError) -> Campaign {
        let known = try await stored(
            try await store.testDevices(
                of: app,
                after: DeviceNumber(rawValue: -1),
                limit: TestDevice.maximumCount
            )
        )
        let ids = Set(known.map(\.device.device))
        for (index, device) in request.devices.enumerated() where !ids.contains(device) {
            throw .wrong("devices.\(index)", "must be a test Device of the App")
        }
        let now = clock.now()
        return try await campaigns.test(app: app, request, for: repeatable) { () async throws(EngineError) -> Void in
            let isFree = try await stored(
                try await store.acquire(
                    request.devices.count,
                    app: app,
                    limit: TestDevicesSend.maximumPerHour,
                    since: now.advanced(by: .seconds(-3_600)),
                    at: now
                )
            )
            guard isFree else {
                throw .conflict(
                    "The App's test Devices get at most \(TestDevicesSend.maximumPerHour) messages within an hour."
                )
            }
        }
    }

    /// Eight random digits.
    package static func randomDigits() -> String {
        (0..<8).map { _ in String(Int.random(in: 0...9)) }.joined()
    }

    // MARK: - Private

    private static func hash(_ code: String, _ app: AppID) -> SecretHash { SecretHash(of: "\(app) \(code)") }
}

extension Campaigns {
    /// Sends a message to Devices that are known to be test Devices.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - request: The request.
    ///   - repeatable: The request's own name.
    ///   - permit: Is called once nothing is wrong with the message; throws when it must not be sent now.
    /// - Returns: The Campaign.
    /// - Throws: As ``create(app:_:for:)``, and what `permit` throws.
    func test(
        app: AppID,
        _ request: TestDevicesSend,
        for repeatable: IdempotentRequest<Campaign>?,
        permit: () async throws(EngineError) -> Void
    ) async throws(EngineError) -> Campaign {
        var campaign = CampaignRequest(audience: .devices(request.devices), message: request.message)
        campaign.channel = request.channel
        campaign.template = request.template
        campaign.values = request.values
        campaign.recipientValues = request.recipientValues ?? TemplateValues([:])
        // Somebody waits for a test message.
        campaign.isTransactional = true
        var resolved = try await resolved(campaign, for: app)
        resolved.request.template = nil
        // No rule for ads may stop a test, so that it is sent as no ad; what Korean phones show is the ad's.
        if let wording = request.adWording, request.channel == .notification, !resolved.request.message.silent {
            resolved.request.message.content = wording.applied(
                to: resolved.request.message.content,
                standard: resolved.rules.adWordPosition
            )
        }
        let examined = try await examine(resolved, app: app, at: clock.now())
        guard examined.problems.isEmpty else { throw .problems(examined.problems) }
        try await permit()
        return try await accept(app: app, resolved.request, isTest: true, for: repeatable)
    }
}
