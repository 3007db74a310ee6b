import ApplePushSender
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import CarillonStore
import CarillonWebhooks
import Foundation
import NIOPosix

/// The parts of a server beside its engine.
extension ServerComposition {
    static func sender(
        _ configuration: ServerConfiguration,
        _ stores: Stores,
        _ context: EngineContext,
        _ apps: Apps,
        _ simulatedApple: SimulatedApple
    ) -> APNsSender {
        var options = configuration.apns
        options.simulator = { try await simulatedApple.apns() }
        return APNsSender(
            configuration: options,
            accounts: apps,
            tokens: ProviderTokens(store: stores.providerTokens, vault: context.vault),
            clock: context.clock,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: context.logger
        )
    }

    static func dispatcher(
        _ configuration: ServerConfiguration,
        _ stores: Stores,
        _ engine: Engine,
        _ sender: APNsSender
    ) -> Dispatcher {
        Dispatcher(options: configuration.dispatcher, Dispatcher.Dependencies(stores, engine, sender))
    }

    static func webhookDispatcher(
        _ stores: Stores,
        _ context: EngineContext,
        _ sender: APNsSender,
        _ client: HTTPWebhookClient
    ) -> WebhookDispatcher {
        WebhookDispatcher(
            outbox: stores.webhookOutbox,
            client: client,
            sender: sender,
            vault: context.vault,
            ids: context.ids,
            clock: context.clock,
            logger: context.logger
        )
    }

    static func node(
        _ configuration: ServerConfiguration,
        _ stores: Stores,
        _ engine: Engine,
        _ dispatcher: Dispatcher,
        _ sender: APNsSender,
        _ check: MasterKeyCheck
    ) -> NodeStatus {
        let context = engine.context
        let readiness = NodeReadiness(
            check: check,
            vault: context.vault,
            dispatcher: configuration.sends ? dispatcher : nil,
            sender: sender,
            clock: context.clock,
            isHeld: configuration.holdsBack,
            lifetime: configuration.readinessLifetime
        )
        return NodeStatus(
            probe: { () async throws(StoreError) in _ = try await stores.apps.apps(after: nil, limit: 1) },
            readiness: readiness.readiness,
            metrics: [
                dispatcher.dependencies.figures, APNsMetrics(sender: sender, clock: context.clock),
                engine.retention.figures, engine.appDeletions.figures,
            ]
        )
    }

    static func presence(
        _ configuration: ServerConfiguration,
        _ stores: Stores,
        _ context: EngineContext,
        _ dispatcher: Dispatcher,
        _ sender: APNsSender
    ) -> NodePresence {
        let sampler = NodeSampler(
            name: ProcessInfo.processInfo.hostName,
            role: configuration.sends ? configuration.role.rawValue : "api",
            sender: sender,
            startedAt: context.clock.now()
        )
        return NodePresence(
            store: stores.nodes,
            clock: context.clock,
            logger: context.logger,
            setQuiet: dispatcher.setQuiet,
            facts: sampler.sample
        )
    }
}

extension Dispatcher.Dependencies {
    /// The parts of a server that sends.
    init(_ stores: Stores, _ engine: Engine, _ sender: any Sender) {
        let context = engine.context
        self.init(
            store: stores.deliveries,
            sender: sender,
            receiptKeys: engine.apps,
            ids: context.ids,
            signals: context.signals,
            clock: context.clock,
            logger: context.logger
        )
    }
}
