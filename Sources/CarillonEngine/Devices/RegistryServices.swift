/// The engine's services for Devices that operators use.
package struct RegistryServices: Sendable {
    package let users: Users
    package let categories: Categories
    package let imports: DeviceImports
    package let exports: DeviceExports

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - stores: Their stores.
    ///   - apps: Checks that an App exists.
    ///   - clock: The wall clock.
    package init(_ stores: RegistryStores, apps: Apps, clock: any WallClock) {
        users = Users(store: stores.users, apps: apps, clock: clock)
        categories = Categories(store: stores.categories, apps: apps, clock: clock)
        imports = DeviceImports(
            store: stores.imports,
            tags: stores.tags,
            attributes: stores.attributes,
            apps: apps,
            clock: clock
        )
        exports = DeviceExports(store: stores.exports, apps: apps, clock: clock)
    }
}

/// The stores of these services.
package struct RegistryStores: Sendable {
    package let users: any UserStore
    package let categories: any CategoryStore
    package let tags: any TagStore
    package let attributes: any AttributeStore
    package let imports: any DeviceImportStore
    package let exports: any DeviceExportStore

    package init(
        users: any UserStore,
        categories: any CategoryStore,
        tags: any TagStore,
        attributes: any AttributeStore,
        imports: any DeviceImportStore,
        exports: any DeviceExportStore
    ) {
        self.users = users
        self.categories = categories
        self.tags = tags
        self.attributes = attributes
        self.imports = imports
        self.exports = exports
    }
}
