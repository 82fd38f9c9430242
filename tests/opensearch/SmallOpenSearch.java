import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.common.logging.LogConfigurator;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** Runs one node of OpenSearch on 127.0.0.1: java -cp 'JARS/*' SmallOpenSearch.java PORT DATA. */
public class SmallOpenSearch extends Node {
    SmallOpenSearch(Settings settings) {
        super(
            InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "templ"),
            List.of(Netty4Plugin.class),
            true
        );
    }

    public static void main(String[] arguments) throws Exception {
        Path data = Path.of(arguments[1]).toAbsolutePath();
        Files.createDirectories(data);
        Settings settings = Settings.builder()
            .put("path.home", data)
            .put("cluster.name", "templ")
            .put("discovery.type", "single-node")
            .put("http.host", "127.0.0.1")
            .put("http.port", arguments[0])
            .put("transport.host", "127.0.0.1")
            .put("transport.port", "0")
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
        LogConfigurator.configureWithoutConfig(settings);
        SmallOpenSearch node = new SmallOpenSearch(settings);
        node.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (Exception error) {
                error.printStackTrace();
            }
        }));
        Thread.currentThread().join();
    }
}
