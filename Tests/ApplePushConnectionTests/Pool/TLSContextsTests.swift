import ApplePush
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import ApplePushConnection

struct TLSContextsTests {
    private let made = NIOLockedValueBox(0)

    private var contexts: TLSContexts {
        TLSContexts { [made] roots, identity in
            made.withLockedValue { $0 += 1 }
            return try TLSContexts.context(trusting: roots, as: identity)
        }
    }

    private func pools(_ contexts: TLSContexts) -> ConnectionPools<Int> {
        ConnectionPools(
            endpoint: Endpoint(host: "localhost", port: 1),
            configuration: ConnectionPool.Configuration(),
            limits: ConnectionPools<Int>.Limits(),
            contexts: contexts,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: nil
        )
    }

    @Test("P-45 the trust roots are read once for a thousand tenants")
    func readOnce() async throws {
        let pools = pools(contexts)
        for tenant in 0..<1_000 { try await pools.withPool(for: tenant) { _ in } }
        #expect(made.withLockedValue { $0 } == 1 && pools.count == 1_000)
        await pools.shutDown()
    }

    @Test("Unreadable roots are read again the next time")
    func failure() throws {
        let contexts = contexts
        for _ in 0..<2 {
            #expect(throws: (any Error).self) {
                try contexts.context(trusting: .file("/nowhere.pem"), as: nil)
            }
        }
        #expect(made.withLockedValue { $0 } == 2)
    }

    @Test("P-45 reading one tenant's certificates does not block other tenants' pools")
    func readsOutsideTheLock() async throws {
        let others = NIOLockedValueBox<ConnectionPools<Int>?>(nil)
        let isFree = NIOLockedValueBox(false)
        let pools = pools(
            TLSContexts { roots, identity in
                let seen = ConditionLock(value: 0)
                Thread.detachNewThread {
                    _ = others.withLockedValue { $0 }?.count
                    seen.lock()
                    seen.unlock(withValue: 1)
                }
                if seen.lock(whenValue: 1, timeoutSeconds: 20) {
                    seen.unlock()
                    isFree.withLockedValue { $0 = true }
                }
                return try TLSContexts.context(trusting: roots, as: identity)
            }
        )
        others.withLockedValue { $0 = pools }

        try await pools.withPool(for: 1) { _ in }

        #expect(isFree.withLockedValue { $0 })
        await pools.shutDown()
    }
}
