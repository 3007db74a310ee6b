import Coim

func use() -> Bool { coimSDK.checkNetwork() }
