extension CarillonClient {
    // MARK: - Test Devices

    /// Makes this phone a test Device of the App, which gets test messages of the console, by the code that an Operator's
    /// page shows.
    ///
    /// Call it on a screen that only the team sees. A code is good once, for ten minutes.
    ///
    /// - Parameter code: Eight digits, as somebody types them: spaces and hyphens do not count.
    /// - Throws: ``CarillonError``; `refused` with the problem `unknown-test-pairing` when the code is wrong, used or over.
    public func becomeTestDevice(code: String) async throws(CarillonError) {
        try await requestAsDevice { await $0.request("POST", "test-pairing", of: $1, body: ["code": code]) }.get()
    }
}
